// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A fixed ring of frames between one producer thread and one consumer: mostly from a measuring thread to the
/// recorder thread.
///
/// `push` never blocks and never allocates: when the ring is full it drops the frame and counts it,
/// because a blocked measuring thread would lose more. Exactly one thread may push and exactly one
/// may pop; that is why the unchecked conformance is sound: a slot belongs to the producer until
/// `head` has passed it and to the consumer until `tail` has.
package final class FrameRing<Frame: BitwiseCopyable & Sendable>: @unchecked Sendable {
    private let slots: UnsafeMutableBufferPointer<Frame>
    private let head = Atomic<Int>(0)  // written by the producer
    private let tail = Atomic<Int>(0)  // written by the consumer
    private let lost = Atomic<Int>(0)

    /// A ring for at least `capacity` frames; the size is rounded up to a power of two.
    package init(capacity: Int, repeating frame: Frame) {
        var size = 2
        while size < capacity { size *= 2 }
        slots = .allocate(capacity: size)
        slots.initialize(repeating: frame)
    }

    deinit { slots.deallocate() }

    package var capacity: Int { slots.count }
    /// How many frames wait to be popped; any thread may ask. A third thread gets an estimate.
    package var count: Int { head.load(ordering: .acquiring) &- tail.load(ordering: .acquiring) }
    /// How many frames were dropped because the ring was full, since it was made;
    /// any thread may ask.
    package var overruns: Int { lost.load(ordering: .relaxed) }
    /// The ring's memory, for locking it (`mlock`).
    package var memory: UnsafeRawBufferPointer { UnsafeRawBufferPointer(slots) }

    /// Appends a frame; false when the ring was full and the frame was dropped and
    /// counted. Producer only.
    @discardableResult
    package func push(_ frame: Frame) -> Bool {
        let head = head.load(ordering: .relaxed)
        guard head &- tail.load(ordering: .acquiring) < slots.count else {
            lost.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        slots[head & (slots.count - 1)] = frame
        self.head.store(head &+ 1, ordering: .releasing)
        return true
    }

    /// Takes the oldest frame, nil when there is none. Consumer only.
    package func pop() -> Frame? {
        let tail = tail.load(ordering: .relaxed)
        guard head.load(ordering: .acquiring) != tail else { return nil }
        let frame = slots[tail & (slots.count - 1)]
        self.tail.store(tail &+ 1, ordering: .releasing)
        return frame
    }
}
