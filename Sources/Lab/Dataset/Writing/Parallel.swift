// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import SystemKit

/// The same work on several values, on as many threads as there are processors: `DatasetExport` and
/// `BIDSExport` read recordings so, and `OpenedDataset` decrypts them.
enum Parallel {
    /// How many values are worked on at once.
    static let width = max(1, min(8, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// The results are in the order of `values`. Returns when all are done.
    static func map<Value: Sendable, Result: Sendable>(
        _ values: [Value], _ body: @escaping @Sendable (Value) -> Result
    ) throws -> [Result] {
        let shared = SharedWork<Result>(count: values.count)
        try spread(min(width, values.count)) {
            while let place = shared.take() { shared.put(body(values[place]), at: place) }
        }
        return shared.results
    }

    /// Runs `work` on `count` threads, of which this is one, and waits for all of them.
    private static func spread(_ count: Int, _ work: @escaping @Sendable () -> Void) throws(SystemError) {
        guard count > 1 else { return work() }
        let thread = try NamedThread(name: "export", stack: nil, body: work)
        try spread(count - 1, work)
        thread.join()
    }
}

/// Which value is next, and what has become of those before.
private final class SharedWork<Result: Sendable>: Sendable {
    private struct State {
        var next = 0
        var results: [Result?]
    }
    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(results: Array(repeating: nil, count: count))) }

    func take() -> Int? {
        state.withLock { state in
            guard state.next < state.results.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func put(_ result: Result, at place: Int) { state.withLock { $0.results[place] = result } }

    var results: [Result] { state.withLock { $0.results.compactMap(\.self) } }
}
