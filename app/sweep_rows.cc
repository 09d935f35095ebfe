#include "sweep_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "distribution.h"
#include "flags.h"

namespace {

// The deep tail begins at the border of a group.
int64_t group_of(double distance) {
  return static_cast<int64_t>(std::floor((distance - kDeepTail) / SweepRow::kGroupWidth));
}

void count_groups(const std::vector<float>& logits, SweepRow& row) {
  struct Group {
    double sum = 0, count = 0;
  };
  std::map<int64_t, Group> groups;
  const auto top = std::max_element(logits.begin(), logits.end());
  for (auto x = logits.begin(); x != logits.end(); ++x) {
    if (x == top || !std::isfinite(*x)) continue;
    const double distance = double{*top} - double{*x};
    Group& group = groups[group_of(distance)];
    group.sum += distance;
    ++group.count;
  }
  row.distance = {0};
  row.count = {1};
  for (const auto& [number, group] : groups) {
    row.distance.push_back(group.sum / group.count);
    row.count.push_back(group.count);
  }
}

double log_sum(const SweepRow& row) {
  double sum = 0;
  for (size_t i = 0; i < row.count.size(); ++i) sum += row.count[i] * std::exp(-row.distance[i]);
  return std::log(sum);
}

// One thread's work.
class Worker {
 public:
  Worker(const std::vector<CutOff>& cuts, std::vector<SweepRow>& rows) : cuts_(cuts), rows_(rows) {
    for (int pivot = 0; pivot < 3; ++pivot) {
      curves_.emplace_back(hlg::params().set("pivot", pivot).set("pivot_offset", 0));
    }
  }

  void operator()(int64_t number, const std::vector<float>& logits) {
    SweepRow& row = rows_[static_cast<size_t>(number)];
    count_groups(logits, row);
    const double top = -log_sum(row);
    for (size_t pivot = 0; pivot < curves_.size(); ++pivot) {
      apply_curve(sampler_, curves_[pivot], logits, logprobs_);
      row.above_pivot[pivot] = top - pivot_of(curves_[pivot], logits);
    }
    for (const CutOff& cut : cuts_) {
      row.kept.push_back(hlg_rivals::n_kept(cut.cut, cut.value, logits));
    }
  }

 private:
  // A log-probability.
  double pivot_of(const hlg::curve& curve, const std::vector<float>& logits) const {
    const hlg_row row = hlg_row_f32(logits.data(), static_cast<int64_t>(logits.size()));
    hlg_stats stats{};
    stats.struct_size = sizeof stats;
    const int32_t status = hlg_last_stats(sampler_.get(), curve.get(), &row, &stats);
    if (status != HLG_OK) throw Failure(kNoLiveToken, hlg_status_name(status));
    return stats.pivot;
  }

  const std::vector<CutOff>& cuts_;
  std::vector<SweepRow>& rows_;
  std::vector<hlg::curve> curves_;
  std::vector<float> logprobs_;
  hlg::sampler sampler_{0};
};

}  // namespace

std::vector<SweepRow> sweep_rows(const RowSet& rows, const std::vector<CutOff>& cuts,
                                 int n_threads) {
  std::vector<SweepRow> found(static_cast<size_t>(rows.n_rows()));
  for_each_row(rows, n_threads, [&] { return Worker(cuts, found); });
  return found;
}
