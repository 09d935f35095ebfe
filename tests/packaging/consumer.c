/* A program that uses the library: draws the only token of a row that is not masked. */
#include <hlg/hlg.h>
#include <stdio.h>

int main(void) {
  const float logits[4] = {-INFINITY, -INFINITY, 1.5F, -INFINITY};
  const hlg_row row = hlg_row_f32(logits, 4);
  hlg_params params;
  hlg_curve* curve = NULL;
  hlg_sampler* sampler = hlg_sampler_new(42);
  int32_t token;
  hlg_params_init(&params);
  if (hlg_curve_new(&params, &curve, NULL, 0) != HLG_OK) return 1;
  token = hlg_sample(sampler, curve, &row);
  printf("hlg %s drew %d\n", hlg_version(), (int)token);
  hlg_sampler_free(sampler);
  hlg_curve_free(curve);
  return token == 2 ? 0 : 1;
}
