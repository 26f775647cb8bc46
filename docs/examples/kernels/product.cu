// A product of matrices by tiles of shared memory. Each thread makes one element; a block of 16 x 16 reads each element of its operands 16 times less.
// Written for no library in particular: rows, columns and inner need not be multiples of a tile.
#define TILE 16

extern "C" __global__ void tiled_product(const float* a, const float* b, float* c, int rows, int columns, int inner) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int from = 0; from < inner; from += TILE) {
    const int across = from + threadIdx.x, down = from + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < rows && across < inner ? a[row * inner + across] : 0;
    right[threadIdx.y][threadIdx.x] = down < inner && column < columns ? b[down * columns + column] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}
