// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct LockedMemoryTests {
    @Test func lockedRingsAreCountedEitherWay() {
        let memory = LockedMemory()
        let ring = FrameRing(capacity: 64, repeating: VectorFrame(values: .zero, count: 3))
        let isLocked = memory.lock(ring)
        #expect(memory.failures == (isLocked ? 0 : 1))
        #expect(memory.lockedBytes == (isLocked ? ring.memory.count : 0))
    }
}
