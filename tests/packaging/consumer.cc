// The same program as consumer.c, with the owners of hlg.hpp.
#include <cstdio>
#include <hlg/hlg.hpp>
#include <vector>

int main() {
  const float masked = -INFINITY;
  const std::vector<float> logits = {masked, masked, 1.5F, masked};
  const hlg::curve curve(hlg::params().temperature(0.8).set("toe_shape", "fade"));
  hlg::sampler sampler(42);
  const int32_t token = sampler.sample(curve, logits.data(), logits.size());
  std::printf("hlg %s drew %d\n", hlg_version(), token);
  return token == 2 ? 0 : 1;
}
