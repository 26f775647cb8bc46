// How often each byte occurs. A block counts in shared memory first, so that few atomic updates go to the result.
extern "C" __global__ void histogram(const unsigned char* bytes, int count, int* counts) {
  __shared__ int own[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) atomicAdd(&own[bytes[i]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    if (own[bin] > 0) atomicAdd(&counts[bin], own[bin]);
}
