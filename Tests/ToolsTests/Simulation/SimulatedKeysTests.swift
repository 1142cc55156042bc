// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Simulation
import SystemKit
import Testing

private func scratch(_ name: String) -> String { "/tmp/studyd-\(name)-\(getpid())-\(UInt32.random(in: 0 ... .max))" }

/// The numbers of the records in a pipe, taken apart by hand: seconds, microseconds,
/// type, code, value.
private func records(_ reader: CInt) -> [[Int]] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(reader, &bytes, bytes.count)
    return stride(from: 0, to: max(0, count), by: 24).map { start in
        func number(_ offset: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(bytes[start + offset + $1]) << (8 * $1) }
        }
        return [number(0, 8), number(8, 8), number(16, 2), number(18, 2), number(20, 4)]
    }
}

@Test func aPressIsDownAndUpWithReportsAtTheirTimes() throws {
    let keys = try SimulatedKeys(path: scratch("keys"))
    let reader = open(keys.path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    keys.press(key: 0x100, at: at(12.25), for: .milliseconds(500))
    #expect(keys.due == at(12.25))
    keys.serve(at: at(12.2))
    #expect(records(reader).isEmpty, "not before its time")
    keys.serve(at: at(12.3))
    #expect(records(reader) == [[12, 250_000, 1, 0x100, 1], [12, 250_000, 0, 0, 0]])
    keys.serve(at: keys.due)
    #expect(records(reader) == [[12, 750_000, 1, 0x100, 0], [12, 750_000, 0, 0, 0]])
    #expect(keys.due == MonotonicTime(nanoseconds: .max) && keys.refused == 0)
}

@Test func overlappingPressesComeInTimeOrder() throws {
    let keys = try SimulatedKeys(path: scratch("keys"))
    let reader = open(keys.path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    keys.press(key: 2, at: at(1.5), for: .seconds(1))
    keys.press(key: 1, at: at(1), for: .seconds(1))
    keys.serve(at: at(10))
    let edges = records(reader).filter { $0[2] == 1 }.map { [$0[3], $0[4]] }
    #expect(edges == [[1, 1], [2, 1], [1, 0], [2, 0]])
}

@Test func thePipeGoesWithItsKeys() throws {
    let path = scratch("keys")
    var keys: SimulatedKeys? = try SimulatedKeys(path: path)
    #expect(keys != nil && access(path, F_OK) == 0)
    #expect(throws: SystemError.self) { try SimulatedKeys(path: path) }
    keys = nil
    #expect(access(path, F_OK) != 0)
}

@Test func anUnreadPipeRefusesAndCounts() throws {
    let keys = try SimulatedKeys(path: scratch("keys"))
    for number in 0..<5000 { keys.press(key: 1, at: at(Double(number)), for: .milliseconds(1)) }
    keys.serve(at: at(1e6))
    #expect(keys.refused > 0)
}

@Test(.timeLimit(.minutes(10))) func aThreadServesKeysAndEnds() throws {
    let keys = try SimulatedKeys(path: scratch("keys"))
    let reader = open(keys.path, O_RDONLY)
    defer { close(reader) }
    let thread = try SteppedThread(keys) { at(100) }
    keys.press(key: 5, at: at(99), for: .milliseconds(1))
    thread.wake()
    #expect(records(reader).first == [99, 0, 1, 5, 1], "the read waits for the thread")
    thread.stop()
}
