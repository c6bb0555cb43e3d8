// A library with the interface of tools/peers/deepgemm.py: two variants, for rows in groups one. It makes nothing.
int deepgemmVariants(int grouped) { return grouped ? 1 : 2; }
int deepgemm(int variant, const void *a, const float *scalesA, const void *b, const float *scalesB, void *d, int m,
             int n, int k, void *stream) {
  return -1;
}
int deepgemmGrouped(int variant, const void *a, const float *scalesA, const void *b, const float *scalesB, void *d,
                    const int *layout, int m, int n, int k, int groups, void *stream) {
  return -1;
}
