/* Runs what diffuse.py exported. Neither Python nor a compiler is needed where this runs. */
#include "diffuse.h"

#include <stdio.h>

int main(void) {
  static float before[256 * 256], after[256 * 256];
  const float rate = 0.2f;
  for (int row = 118; row < 138; ++row)
    for (int column = 118; column < 138; ++column) before[256 * row + column] = 100;

  if (diffuse(before, &rate, after) != WEFT_OK) {
    fprintf(stderr, "%s\n", weft_last_error());
    return 1;
  }
  printf("the hottest point has %.4f degrees\n", after[256 * 128 + 128]);
  return 0;
}
