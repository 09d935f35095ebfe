#include "tone_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "hlg/hlg.hpp"

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Points = std::vector<HarmPoint>;

void raise_zero_errors(Points& points) {
  double least = kInfinity;
  for (const HarmPoint& p : points) {
    if (p.se > 0) least = std::min(least, p.se);
  }
  for (HarmPoint& p : points) {
    if (!(p.se > 0)) p.se = std::isfinite(least) ? least : 1;
  }
}

// harm = a + b * cost at points [begin, end), weighted, b >= 0.
struct Line {
  double a = 0, b = 0;
};

Line solve(const Points& points, const std::vector<double>& cost, size_t begin, size_t end) {
  double w = 0, x = 0, y = 0;
  for (size_t i = begin; i < end; ++i) {
    const double weight = 1 / (points[i].se * points[i].se);
    w += weight;
    x += weight * cost[i];
    y += weight * points[i].harm;
  }
  x /= w;
  y /= w;
  double xx = 0, xy = 0;
  for (size_t i = begin; i < end; ++i) {
    const double weight = 1 / (points[i].se * points[i].se);
    xx += weight * (cost[i] - x) * (cost[i] - x);
    xy += weight * (cost[i] - x) * (points[i].harm - y);
  }
  const double b = xx > 0 ? std::max(0.0, xy / xx) : 0;
  return {y - b * x, b};
}

// Fills in what follows from the fitted harm.
void judge(ToneFit& fit, const Points& points, int n_fitted) {
  double squares = 0;
  fit.chi2 = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const double deviation = points[i].harm - fit.harm[i];
    squares += deviation * deviation;
    fit.chi2 += std::pow(deviation / points[i].se, 2);
  }
  fit.residual = std::sqrt(squares / static_cast<double>(points.size()));
  fit.dof = static_cast<int>(points.size()) - n_fitted;
}

// The best lambda and constant for g = -cost.
ToneFit fit_cost(const Points& points, const std::vector<double>& cost, int n_fitted) {
  const Line line = solve(points, cost, 0, points.size());
  ToneFit fit;
  fit.lambda = 1 / line.b;
  fit.constant = line.a / line.b;
  for (const double c : cost) fit.harm.push_back(line.a + line.b * c);
  judge(fit, points, n_fitted);
  return fit;
}

// ---- straight ----------------------------------------------------------------------------------

std::vector<double> straight_cost(const Points& points) {
  std::vector<double> cost;
  for (const HarmPoint& p : points) cost.push_back(-p.z);
  return cost;
}

ToneFit fit_line(const Points& points) {
  ToneFit fit = fit_cost(points, straight_cost(points), 2);
  fit.shape = "line";
  return fit;
}

// A cut-off says that harm is infinite below it, which no finite harm fits. Its kindest reading is
// a step: a line, then one harm for all that is cut.
ToneFit fit_cut_off(const Points& points) {
  const std::vector<double> cost = straight_cost(points);
  const std::vector<double> level(points.size(), 0);
  ToneFit best;
  for (size_t cut = 2; cut < points.size(); ++cut) {
    const Line line = solve(points, cost, 0, cut);
    const Line below = solve(points, level, cut, points.size());
    ToneFit fit;
    fit.shape = "line with cut-off";
    fit.cut = (points[cut - 1].z + points[cut].z) / 2;
    fit.lambda = 1 / line.b;
    fit.constant = line.a / line.b;
    for (size_t i = 0; i < points.size(); ++i) {
      fit.harm.push_back(i < cut ? line.a + line.b * cost[i] : below.a);
    }
    judge(fit, points, 4);
    if (fit.chi2 < best.chi2) best = fit;
  }
  return best;
}

// ---- bent --------------------------------------------------------------------------------------

// The knobs as the data see them, so that each coordinate moves one thing: distance of the
// shoulder's and of the toe's knot from zero, ln of shoulder and toe.
using Shape = std::array<double, 4>;

constexpr double kFarthest = 40;
constexpr double kSettled = 1e-4;  // of chi2: less is no progress

// The range of shoulder and toe.
const hlg_knob& strength() {
  static const hlg_knob& knob = *hlg_knob_find("toe");
  return knob;
}

// p * a + q * b
Shape blend(const Shape& a, double p, const Shape& b, double q) {
  Shape sum{};
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = p * a[i] + q * b[i];
  return sum;
}

bool legal(const Shape& s) {
  const auto [shoulder_knot, toe_knot, shoulder, toe] = s;
  return std::abs(shoulder_knot) <= toe_knot && toe_knot <= kFarthest &&
         std::min(shoulder, toe) >= std::log(strength().min) &&
         std::max(shoulder, toe) <= std::log(strength().max);
}

hlg_params knobs_of(const Shape& s, hlg_pivot pivot, hlg_toe_shape toe_shape) {
  return hlg::params()
      .set("pivot", static_cast<int>(pivot))
      .set("toe_shape", static_cast<int>(toe_shape))
      .set("pivot_offset", (s[1] + s[0]) / 2)
      .set("width", (s[1] - s[0]) / 2)
      .set("shoulder", std::clamp(std::exp(s[2]), strength().min, strength().max))
      .set("toe", std::clamp(std::exp(s[3]), strength().min, strength().max))
      .get();
}

class BentFit {
 public:
  BentFit(const Points& points, hlg_pivot pivot, hlg_toe_shape toe_shape)
      : points_(points), pivot_(pivot), toe_shape_(toe_shape) {}

  ToneFit at(const Shape& shape) const {
    const hlg_params knobs = knobs_of(shape, pivot_, toe_shape_);
    const hlg::curve curve(knobs);
    std::vector<double> cost;
    for (const HarmPoint& p : points_) cost.push_back(-curve.eval(p.z + knobs.pivot_offset));
    ToneFit fit = fit_cost(points_, cost, 6);
    fit.shape = toe_shape_ == HLG_TOE_FADE ? "fade" : "log";
    fit.knobs = knobs;
    return fit;
  }

  // The best of a coarse grid, each then refined.
  ToneFit best() const {
    std::vector<Start> starts = grid();
    constexpr std::ptrdiff_t kRefined = 8;
    std::partial_sort(starts.begin(), starts.begin() + kRefined, starts.end());
    ToneFit best;
    for (std::ptrdiff_t i = 0; i < kRefined; ++i) {
      const ToneFit fit = at(refined(starts[static_cast<size_t>(i)]).second);
      if (fit.chi2 < best.chi2) best = fit;
    }
    return best;
  }

 private:
  using Start = std::pair<double, Shape>;  // chi2, where

  std::vector<Start> grid() const {
    std::vector<Start> found;
    for (const double toe_knot : {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20}) {
      for (const double gap : {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20}) {
        for (const double shoulder : {-2, 0, 2, 4, 6}) {
          for (const double toe : {-2, 0, 2, 4, 6}) {
            const Shape shape{toe_knot - gap, toe_knot, shoulder, toe};
            if (gap <= toe_knot) found.emplace_back(at(shape).chi2, shape);
          }
        }
      }
    }
    return found;
  }

  Start scored(const Shape& shape) const {
    return {legal(shape) ? at(shape).chi2 : kInfinity, shape};
  }

  // Nelder and Mead, begun again from its result with a fresh simplex while that helps.
  Start refined(Start from) const {
    for (int round = 0; round < 20; ++round) {
      const Start next = descend(from);
      if (!(next.first < from.first * (1 - kSettled))) break;
      from = next;
    }
    return from;
  }

  Start descend(const Start& from) const {
    std::vector<Start> simplex{from};
    for (size_t axis = 0; axis < from.second.size(); ++axis) {
      Shape shape = from.second;
      shape[axis] += axis == 0 ? -0.7 : 0.7;  // the knots stay in order
      simplex.push_back(scored(shape));
    }
    for (int moves = 0; moves < 400; ++moves) {
      std::sort(simplex.begin(), simplex.end());
      if (simplex.back().first - simplex.front().first < kSettled * simplex.front().first) break;
      move(simplex);
    }
    return *std::min_element(simplex.begin(), simplex.end());
  }

  // Replaces the worst corner of the sorted simplex, or draws all towards the best one.
  void move(std::vector<Start>& simplex) const {
    const Start worst = simplex.back();
    Shape middle{};
    for (size_t i = 0; i + 1 < simplex.size(); ++i) {
      middle = blend(middle, 1, simplex[i].second, 1.0 / static_cast<double>(middle.size()));
    }
    const auto beyond = [&](double t) { return scored(blend(middle, 1 + t, worst.second, -t)); };
    Start next = beyond(1);
    if (next.first < simplex.front().first) {
      next = std::min(next, beyond(2));
    } else if (!(next.first < simplex[simplex.size() - 2].first)) {
      next = beyond(next.first < worst.first ? 0.5 : -0.5);
    }
    if (next.first < worst.first) {
      simplex.back() = next;
      return;
    }
    for (size_t i = 1; i < simplex.size(); ++i) {
      simplex[i] = scored(blend(simplex[0].second, 0.5, simplex[i].second, 0.5));
    }
  }

  const Points& points_;
  hlg_pivot pivot_;
  hlg_toe_shape toe_shape_;
};

}  // namespace

std::vector<ToneFit> fit_harm(std::vector<HarmPoint> points, hlg_pivot pivot) {
  raise_zero_errors(points);
  return {BentFit(points, pivot, HLG_TOE_FADE).best(), BentFit(points, pivot, HLG_TOE_LOG).best(),
          fit_line(points), fit_cut_off(points)};
}

std::vector<HarmPoint> redrawn(std::vector<HarmPoint> points, uint32_t number) {
  raise_zero_errors(points);
  std::mt19937 generator(number);
  const auto uniform = [&] { return (static_cast<uint32_t>(generator()) + 0.5) / 0x1p32; };
  for (HarmPoint& p : points) {  // Box and Muller; the library's own normal draws differ by library
    const double length = std::sqrt(-2 * std::log(uniform()));
    p.harm += p.se * length * std::cos(2 * kPi * uniform());
  }
  return points;
}
