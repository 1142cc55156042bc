// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Runs something that blocks on a new thread, so that no async function ever blocks.
package func onThread<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            // Dropped without join: the thread ends by itself when the body has returned.
            _ = try NamedThread(name: name) { continuation.resume(with: Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
