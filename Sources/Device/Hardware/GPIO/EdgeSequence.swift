// SPDX-License-Identifier: Apache-2.0

/// Tells how many edges of one line are missing between those that arrive. Pure.
struct EdgeSequence: Sendable, Equatable {
    private var number: UInt32 = 0
    private var isActive: Bool?

    /// How many are missing before this one. `number` counts the line's edges from 1; where it is 0
    /// the kernel does not count, and two edges of the same direction have at least one between
    /// them.
    mutating func missed(number: UInt32, isActive: Bool) -> Int {
        defer {
            self.number = number
            self.isActive = isActive
        }
        return number == 0 ? (self.isActive == isActive ? 1 : 0) : Int(number &- self.number &- 1)
    }
}
