// SPDX-License-Identifier: Apache-2.0

package enum SecureRandom {
    /// By the system's generator.
    @Sendable package static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
