#include "row_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "flags.h"

namespace {

void count_groups(const std::vector<float>& logits, double width, RowGroups& row) {
  struct Group {
    double sum = 0, count = 0;
  };
  std::map<std::pair<double, bool>, Group> groups;
  const auto top = std::max_element(logits.begin(), logits.end());
  for (auto x = logits.begin(); x != logits.end(); ++x) {
    if (x == top || !std::isfinite(*x)) continue;
    const double distance = double{*top} - double{*x};
    Group& group = groups[{std::floor(distance / width), distance > kDeepTail}];
    group.sum += distance;
    ++group.count;
  }
  row.distance = {0};
  row.count = {1};
  for (const auto& [key, group] : groups) {
    row.distance.push_back(group.sum / group.count);
    row.count.push_back(group.count);
  }
}

// ln of the sum over exp(-distance).
double log_sum(const RowGroups& row) {
  double sum = 0;
  for (size_t i = 0; i < row.size(); ++i) sum += row.count[i] * std::exp(-row.distance[i]);
  return std::log(sum);
}

void check(int32_t status) {
  if (status != HLG_OK) throw Failure(kNoLiveToken, hlg_status_name(status));
}

}  // namespace

std::vector<double> RowGroups::heights(const hlg::curve& curve, const hlg_params& params) const {
  const double top = above_pivot[static_cast<size_t>(params.pivot)] + params.pivot_offset;
  const double highest = curve.eval(top);
  std::vector<double> heights;
  heights.reserve(size());
  for (const double d : distance) heights.push_back(curve.eval(top - d) - highest);
  return heights;
}

RowGrouper::RowGrouper(double width) : width_(width) {
  for (int pivot = 0; pivot < 3; ++pivot) {
    curves_.emplace_back(hlg::params().set("pivot", pivot).set("pivot_offset", 0));
  }
}

double RowGrouper::pivot(const hlg::curve& curve, const std::vector<float>& logits) {
  logprobs_.resize(logits.size());
  check(sampler_.apply(curve, logits.data(), logits.size(), logprobs_.data()));
  const hlg_row row = hlg_row_f32(logits.data(), static_cast<int64_t>(logits.size()));
  hlg_stats stats{};
  stats.struct_size = sizeof stats;
  check(hlg_last_stats(sampler_.get(), curve.get(), &row, &stats));
  return stats.pivot;
}

RowGroups RowGrouper::operator()(const std::vector<float>& logits) {
  RowGroups row;
  count_groups(logits, width_, row);
  const double top = -log_sum(row);
  for (size_t i = 0; i < curves_.size(); ++i) row.above_pivot[i] = top - pivot(curves_[i], logits);
  return row;
}
