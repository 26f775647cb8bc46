/* Runs an exported softmax of (64, 96). */
#include "softmax.h"

#include <stdio.h>

int main(void) {
  static float values[64 * 96], result[64 * 96];
  float total = 0;
  int k;
  for (k = 0; k < 64 * 96; ++k) values[k] = (float)(k % 7);
  if (softmax(values, result) != WEFT_OK) {
    fprintf(stderr, "%s\n", weft_last_error());
    return 1;
  }
  for (k = 0; k < 96; ++k) total += result[k];
  printf("a row's total: %g\n", total);
  return total > 0.99999f && total < 1.00001f ? 0 : 1;
}
