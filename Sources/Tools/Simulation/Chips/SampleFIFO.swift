// SPDX-License-Identifier: Apache-2.0

/// A FIFO of whole samples of all axes, as accelerometers of several makers have it: 32 of them,
/// given out oldest first, one taken away when its last byte was read. The chip that owns it maps the
/// registers that set its mode and report its level.
struct SampleFIFO<Sample: Sendable>: Sendable {
    /// What becomes of a sample.
    enum Mode: Sendable {
        /// It replaces the one before; nothing is kept.
        case bypass
        /// It is dropped when the FIFO is full.
        case stopping
        /// It pushes the oldest one out.
        case streaming
    }

    private let capacity: Int
    private var samples: [Sample] = []
    /// What is shown while the FIFO is empty.
    private var latest: Sample

    /// Empty; `blank` is read until the first sample.
    init(blank: Sample, capacity: Int = 32) {
        latest = blank
        self.capacity = capacity
    }

    var count: Int { samples.count }
    var isEmpty: Bool { samples.isEmpty }
    var isFull: Bool { samples.count == capacity }

    /// What the output registers show: the oldest sample, or the last there was.
    var front: Sample { samples.first ?? latest }

    /// A sample came. False when one was lost: this one, or the oldest.
    @discardableResult
    mutating func push(_ sample: Sample, _ mode: Mode) -> Bool {
        let wasFull = isFull
        switch mode {
        case .bypass:
            latest = sample
            return true
        case .stopping where wasFull: return false
        case .stopping: break
        case .streaming: if wasFull { samples.removeFirst() }
        }
        samples.append(sample)
        return !wasFull
    }

    /// The last byte of the front was read.
    mutating func removeFront() {
        if !samples.isEmpty { latest = samples.removeFirst() }
    }

    /// Bypass empties it; the output registers show the newest sample.
    mutating func empty() {
        latest = samples.last ?? latest
        samples = []
    }
}
