// Pictures of a curve: characters for the terminal, SVG for everything else.
#pragma once

#include <string>
#include <vector>

#include "hlg/hlg.hpp"

constexpr double kPlotLow = -30, kPlotHigh = 10, kPlotStep = 0.25;  // z, nats

struct CurvePoint {
  double z, g, slope;
};

std::vector<CurvePoint> curve_points(const hlg::curve& curve);

// "4", "off", "fade".
std::string knob_value(const hlg_knob& knob, double value);

// The curve (*), the knots (:), the pivot (+) and, below, the slopes.
std::string terminal_plot(const hlg::curve& curve);

// A bar for a probability, at most 40 characters.
std::string bar(double p);

// path: - is standard output. Throws Failure when the file cannot be written.
void write_svg(const std::string& path, const hlg::curve& curve, const std::string& title);
