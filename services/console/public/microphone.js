/** Sends the audio of a microphone to the page in blocks of 16-bit samples. Runs on the browser's audio thread. */
class Microphone extends AudioWorkletProcessor {
  constructor({ processorOptions: { blockSamples } }) {
    super();
    this.block = new Int16Array(blockSamples);
    this.filled = 0;
  }

  /** @param {Float32Array[][]} inputs */
  process([[samples = new Float32Array()] = []]) {
    for (const sample of samples) {
      this.block[this.filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
      if (this.filled < this.block.length) continue;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
      this.port.postMessage(this.block.slice());
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor("microphone", Microphone);
