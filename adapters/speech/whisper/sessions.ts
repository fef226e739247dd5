import { InferenceSession, type Tensor } from 'onnxruntime-node';

/** Opens an ONNX model for one thread. */
export function openSession(path: string): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Its arena would keep some 60 MB between runs.
    enableCpuMemArena: false,
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  });
}

/** The numbers of an output. @throws Error where the model does not have it. */
export function floatsOf(outputs: Readonly<Record<string, Tensor>>, name: string): Float32Array {
  const data = outputs[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`the model has no output ${name}`);
  return data;
}
