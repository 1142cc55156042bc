// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import Testing

@Suite struct FrameRingTests {
    @Test func framesComeOutInOrder() {
        let ring = FrameRing<Int>(capacity: 4, repeating: 0)
        for round in 0..<10 {
            for value in 0..<3 { #expect(ring.push(round * 3 + value)) }
            #expect(ring.count == 3)
            for value in 0..<3 { #expect(ring.pop() == round * 3 + value) }
            #expect(ring.pop() == nil)
        }
        #expect(ring.overruns == 0)
    }

    /// A power of two is not doubled: a ring is memory that is locked.
    @Test(arguments: [(0, 2), (1, 2), (2, 2), (3, 4), (4, 4), (5, 8), (8, 8), (9, 16), (1024, 1024)])
    func aRingHoldsTheNextPowerOfTwo(wanted: Int, capacity: Int) {
        let ring = FrameRing<Int>(capacity: wanted, repeating: 0)
        #expect(ring.capacity == capacity && ring.memory.count == capacity * MemoryLayout<Int>.stride)
        #expect((0...capacity).map { ring.push($0) } == (0...capacity).map { $0 < capacity })
        #expect(ring.count == capacity && ring.overruns == 1)
    }

    @Test func fullRingDropsAndCounts() {
        let ring = FrameRing<Int>(capacity: 3, repeating: 0)
        #expect(ring.capacity == 4)
        let stored = (0..<7).map { ring.push($0) }
        #expect(stored == [true, true, true, true, false, false, false])
        #expect(ring.overruns == 3)
        #expect((0..<4).map { _ in ring.pop() } == [0, 1, 2, 3])
        #expect(ring.push(7) && ring.pop() == 7)
    }

    /// One thread pushes, this one pops: what arrives is in order, and what does not was counted.
    @Test(.timeLimit(.minutes(10))) func framesCrossThreadsInOrder() {
        let ring = FrameRing<Int>(capacity: 256, repeating: 0)
        let total = 200_000
        let producer = Producer(ring, total)
        var last = 0
        var received = 0
        while received + ring.overruns < total {
            guard let value = ring.pop() else {
                sched_yield()
                continue
            }
            if value <= last { Issue.record("\(value) after \(last)") }
            (last, received) = (value, received + 1)
        }
        producer.join()
        #expect(ring.pop() == nil)
        #expect(received + ring.overruns == total)
    }
}

/// A POSIX thread that pushes 1...total.
private struct Producer {
    private final class Job {
        let ring: FrameRing<Int>
        let total: Int
        init(_ ring: FrameRing<Int>, _ total: Int) { (self.ring, self.total) = (ring, total) }
    }

    private var thread = pthread_t()

    init(_ ring: FrameRing<Int>, _ total: Int) {
        let job = Unmanaged.passRetained(Job(ring, total)).toOpaque()
        pthread_create(
            &thread, nil,
            { argument in
                let job = Unmanaged<Job>.fromOpaque(argument!).takeRetainedValue()
                for value in 1...job.total where !job.ring.push(value) { sched_yield() }
                return nil
            }, job)
    }

    func join() { pthread_join(thread, nil) }
}
