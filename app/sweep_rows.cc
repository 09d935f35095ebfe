#include "sweep_rows.h"

namespace {

constexpr double kGroupWidth = 1.0 / 64;  // nats: sums are good to 1e-5

}  // namespace

std::vector<SweepRow> sweep_rows(const RowSet& rows, const std::vector<CutOff>& cuts,
                                 int n_threads) {
  std::vector<SweepRow> found(static_cast<size_t>(rows.n_rows()));
  for_each_row(rows, n_threads, [&] {
    return
        [&, group = RowGrouper(kGroupWidth)](int64_t i, const std::vector<float>& logits) mutable {
          SweepRow& row = found[static_cast<size_t>(i)];
          row.groups = group(logits);
          const hlg_rivals::Row rivals(logits);
          for (const CutOff& cut : cuts) row.kept.push_back(rivals.n_kept(cut.cut, cut.value));
        };
  });
  return found;
}
