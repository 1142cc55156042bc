// SPDX-License-Identifier: Apache-2.0
import NIOPosix

/// A thread of its own for work that takes long or blocks, one piece after another, so that no other task waits for it.
final class SerialQueue: Sendable {
    private let pool = NIOThreadPool(numberOfThreads: 1)

    init() { pool.start() }

    deinit { pool.shutdownGracefully { _ in } }

    /// Does a piece of work when its turn comes; throws what it throws.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await pool.runIfActive(work)
    }

    func submit(_ work: @escaping @Sendable () -> Void) { pool.submit { _ in work() } }
}
