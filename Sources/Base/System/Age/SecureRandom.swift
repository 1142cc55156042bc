// SPDX-License-Identifier: Apache-2.0

/// Random bytes for keys and nonces, by the system's generator: enrolment seeds, keys, request nonces.
package enum SecureRandom {
    @Sendable package static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
