// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The request to a service to stop, given once and for good. The group that runs the service calls `give`; the
/// service's task and its child tasks find the request in `current`. Any thread.
package final class StopRequest: Sendable {
    private struct State {
        var isGiven = false
        var nextID: UInt64 = 0
        var waiting: [UInt64: @Sendable () -> Void] = [:]
    }

    /// The request of the service that this task belongs to; nil outside a group.
    @TaskLocal package static var current: StopRequest?

    private let state = Mutex(State())

    package init() {}

    package var isGiven: Bool { state.withLock { $0.isGiven } }

    /// Gives the request; a second call changes nothing. Handlers are called on this thread.
    package func give() {
        let waiting = state.withLock { state in
            state.isGiven = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for call in waiting.sorted(by: { $0.key < $1.key }) { call.value() }
    }

    /// Calls `body` once when the request is given, at once if it was given already. Returns a key for
    /// `forget`; nil = it was called.
    fileprivate func call(_ body: @escaping @Sendable () -> Void) -> UInt64? {
        let key = state.withLock { state -> UInt64? in
            guard !state.isGiven else { return nil }
            state.nextID += 1
            state.waiting[state.nextID] = body
            return state.nextID
        }
        if key == nil { body() }
        return key
    }

    /// Returns when it is given, or the task is cancelled.
    package func waitUntilGiven() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let key = call { continuation.finish() }
        for await _ in stream {}
        forget(key)
    }

    fileprivate func forget(_ key: UInt64?) {
        guard let key else { return }
        state.withLock { $0.waiting[key] = nil }
    }
}

/// Runs `operation`; `onStop` is called once if the service is asked to stop meanwhile, or was
/// before, on any thread.
package func withStopHandler<Value>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value,
    onStop: @escaping @Sendable () -> Void
) async rethrows -> Value {
    let request = StopRequest.current
    let key = request?.call(onStop)
    defer { request?.forget(key) }
    return try await operation()
}

/// Returns when the service is asked to stop, or its task is cancelled; at once where
/// no group runs it.
package func stopRequested() async { await StopRequest.current?.waitUntilGiven() }

/// Runs `operation`, and cancels it when the service is asked to stop.
package func cancelWhenStopped(_ operation: @escaping @Sendable () async -> Void) async {
    let task = Task(executorPreference: TaskThread.current) { await operation() }
    await withTaskCancellationHandler {
        await withStopHandler {
            await task.value
        } onStop: {
            task.cancel()
        }
    } onCancel: {
        task.cancel()
    }
}
