// SPDX-License-Identifier: Apache-2.0

/// How long a test waits at most for what has to come. Only a fault uses it up: a busy
/// machine must not.
package let patience = Duration.seconds(300)

/// What a test waited for in vain.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String
}

/// Asks until there is an answer; `event` names what is waited for.
package func eventually<Value>(
    _ event: @autoclosure () -> String, within limit: Duration = patience, _ ask: () async throws -> Value?
) async throws -> Value {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
        if let value = try await ask() { return value }
        guard clock.now < deadline else { throw NeverHappened(description: "not within \(limit): \(event())") }
        try await clock.sleep(for: .milliseconds(20))
    }
}

/// Asks until it is so.
package func eventually(
    _ event: @autoclosure () -> String, within limit: Duration = patience, _ holds: () async throws -> Bool
) async throws {
    let _: Bool = try await eventually(event(), within: limit) { try await holds() ? true : nil }
}
