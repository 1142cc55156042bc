// SPDX-License-Identifier: Apache-2.0

/// The same numbers for the same seed, for ever: xorshift. A damage that was found once is found
/// again by its number.
package struct Dice {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// The next number.
    package mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }

    /// 0..<limit, 0 for none.
    package mutating func below(_ limit: Int) -> Int { limit > 0 ? Int(next() >> 33) % limit : 0 }

    /// One of them; there must be some.
    package mutating func one<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
