// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Simulation

@Suite struct SampleFIFOTests {
    /// `count` samples, 1, 2, 3 and so on.
    private func filled(_ count: Int, _ mode: SampleFIFO<Int>.Mode) -> SampleFIFO<Int> {
        var fifo = SampleFIFO(blank: 0)
        for sample in 1...count { fifo.push(sample, mode) }
        return fifo
    }

    @Test func samplesComeOutOldestFirstAndTheLastStays() {
        var fifo = filled(3, .streaming)
        var seen: [Int] = []
        for _ in 0..<5 {
            seen.append(fifo.front)
            fifo.removeFront()
        }
        #expect(seen == [1, 2, 3, 3, 3] && fifo.isEmpty)
    }

    @Test(arguments: [(SampleFIFO<Int>.Mode.stopping, 1), (.streaming, 3)])
    func aFullOneLosesTheNewestOrTheOldest(mode: SampleFIFO<Int>.Mode, front: Int) {
        var fifo = filled(34, mode)
        #expect(fifo.count == 32 && fifo.isFull && fifo.front == front)
        let fits = fifo.push(35, mode)
        fifo.removeFront()
        let fitsThen = fifo.push(36, mode)
        #expect(!fits && fitsThen)
    }

    @Test func bypassKeepsTheNewestOnly() {
        var fifo = filled(3, .bypass)
        #expect(fifo.front == 3 && fifo.isEmpty)
        fifo = filled(3, .streaming)
        fifo.empty()
        #expect(fifo.front == 3 && fifo.isEmpty)
    }
}
