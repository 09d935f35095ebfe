#include "plot.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "files.h"

namespace {

constexpr int kColumns = 64, kLines = 20;
constexpr double kTicks[] = {-30, -20, -10, 0, 10};

// The window: all z, and g cut off where a steep toe would flatten the rest.
constexpr double kLowestG = -30;

__attribute__((format(printf, 1, 2))) std::string format(const char* form, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(text, sizeof text, form, arguments);
  va_end(arguments);
  return text;
}

hlg_params settings_of(const hlg::curve& curve) {
  hlg_params p;
  hlg_params_init(&p);
  hlg_curve_params(curve.get(), &p);
  return p;
}

// Where the curve bends: -w and w, where that bend is on and in the plot.
std::vector<double> knots(const hlg::curve& curve) {
  const hlg_params p = settings_of(curve);
  std::vector<double> list;
  if (hlg_curve_is_neutral(curve.get())) return list;
  if (p.toe != HLG_OFF && -p.width >= kPlotLow) list.push_back(-p.width);
  if (p.shoulder != HLG_OFF && p.width <= kPlotHigh) list.push_back(p.width);
  return list;
}

int column(double z) {
  return static_cast<int>(std::lround((z - kPlotLow) / (kPlotHigh - kPlotLow) * (kColumns - 1)));
}

struct Window {
  explicit Window(const hlg::curve& curve) {
    high = curve.eval(kPlotHigh);
    low = std::max(kLowestG, curve.eval(kPlotLow));
    if (!(high > low)) low = high - 1;  // greedy: flat
  }
  int line(double g) const {
    return static_cast<int>(std::lround((high - g) / (high - low) * (kLines - 1)));
  }
  double high, low;
};

// An SVG picture, in pixels.
constexpr double kWidth = 640, kHeight = 400, kMargin = 40;

double x_of(double z) {
  return kMargin + (z - kPlotLow) / (kPlotHigh - kPlotLow) * (kWidth - 2 * kMargin);
}

double y_of(double g, const Window& window) {
  return kMargin + (window.high - g) / (window.high - window.low) * (kHeight - 2 * kMargin);
}

std::string svg_knots(const hlg::curve& curve) {
  std::string svg;
  for (const double knot : knots(curve)) {
    svg += format(
        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\" stroke=\"#999\" "
        "stroke-dasharray=\"4 4\"/>\n",
        x_of(knot), x_of(knot), kMargin, kHeight - kMargin);
  }
  return svg;
}

// Along both axes.
std::string svg_numbers(const Window& window) {
  std::string svg;
  for (const double z : kTicks) {
    svg += format("<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%g</text>\n", x_of(z),
                  kHeight - kMargin + 20, z);
  }
  const auto [high, low] = window;
  for (const double g : {high, (high + low) / 2, low}) {
    svg += format("<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n", kMargin - 6,
                  y_of(g, window), g);
  }
  return svg;
}

// With a dot at the pivot.
std::string svg_curve(const Window& window, const hlg::curve& curve) {
  std::string svg = "<path fill=\"none\" stroke=\"#c33\" stroke-width=\"2\" d=\"";
  const char* command = "M";
  for (const CurvePoint& point : curve_points(curve)) {
    if (point.g < window.low) continue;
    svg += format("%s%.1f %.1f", command, x_of(point.z), y_of(point.g, window));
    command = " L";
  }
  return svg + format("\"/>\n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x_of(0),
                      y_of(curve.eval(0), window));
}

}  // namespace

std::vector<CurvePoint> curve_points(const hlg::curve& curve) {
  std::vector<CurvePoint> points;
  const auto n = std::lround((kPlotHigh - kPlotLow) / kPlotStep);
  for (long i = 0; i <= n; ++i) {
    const double z = kPlotLow + static_cast<double>(i) * kPlotStep;
    points.push_back({z, curve.eval(z), curve.slope(z)});
  }
  return points;
}

std::string knob_value(const hlg_knob& knob, double value) {
  char text[40];
  hlg_knob_text(&knob, value, text, sizeof text);
  return text;
}

std::string bar(double p) {
  const auto length = static_cast<size_t>(std::lround(40 * std::clamp(p, 0.0, 1.0)));
  return std::string(length, '#');
}

std::string terminal_plot(const hlg::curve& curve) {
  const Window window(curve);
  std::vector<std::string> lines(kLines, std::string(kColumns, ' '));
  const auto put = [&](double z, double g, char mark) {
    const int line = window.line(g);
    if (line >= 0 && line < kLines) {
      lines[static_cast<size_t>(line)][static_cast<size_t>(column(z))] = mark;
    }
  };
  for (const double knot : knots(curve)) {
    for (int line = 0; line < kLines; ++line) {
      lines[static_cast<size_t>(line)][static_cast<size_t>(column(knot))] = ':';
    }
  }
  constexpr int kDots = 800;  // several in a column: the toe may be steep
  for (int i = 0; i <= kDots; ++i) {
    const double z = kPlotLow + i * (kPlotHigh - kPlotLow) / kDots;
    put(z, curve.eval(z), '*');
  }
  put(0, curve.eval(0), '+');
  std::string text;
  for (int i = 0; i < kLines; ++i) {
    const double g = window.high - i * (window.high - window.low) / (kLines - 1);
    text += format("%7.1f |", g) + lines[static_cast<size_t>(i)] + "\n";
  }
  text += "    g    " + std::string(kColumns, '-') + "\n    z   ";
  std::string axis(kColumns + 4, ' '), slopes = axis;
  for (const double z : kTicks) {
    const auto at = static_cast<size_t>(std::min(column(z), kColumns - 2));
    axis.replace(at, 4, format("%-4.0f", z));
    slopes.replace(at, 4, format("%-4.2g", curve.slope(z)));
  }
  return text + axis + "\nslope   " + slopes + "\n        * curve   : knot   + pivot\n";
}

void write_svg(const std::string& path, const hlg::curve& curve, const std::string& title) {
  const Window window(curve);
  std::string svg = format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" ",
                           kWidth, kHeight);
  svg +=
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  svg += "<text x=\"40\" y=\"20\">" + title + "</text>\n";
  svg += svg_knots(curve) + svg_numbers(window) + svg_curve(window, curve);
  svg += format(
      "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">z, nats from the pivot</text>\n</svg>\n",
      kWidth / 2, kHeight - 4);
  write_text(path, svg);
}
