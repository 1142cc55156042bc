// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemKit
import Testing

struct ThreadExecutorTests {
    private actor Counter {
        private nonisolated let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private var count = 0
        init() throws { executor = try ThreadExecutor(name: "a-name-that-is-too-long") }
        func add() -> Int {
            count += 1
            return count
        }
        func thread() throws -> String { try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) }
    }

    @Test func itsJobsRunInOrderOnItsOwnNamedThread() async throws {
        let counter = try Counter()
        #expect(try await counter.thread() == "a-name-that-is-\n")
        let total = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { await counter.add() } }
            return await group.reduce(0) { max($0, $1) }
        }
        #expect(total == 1000)
    }

    @Test func manyComeAndGo() async throws {
        for _ in 0..<200 { #expect(await (try Counter()).add() == 1) }
    }
}
