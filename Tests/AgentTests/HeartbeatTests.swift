// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Agent

/// When measuring was last alive, as a start reads it from the file.
@Suite struct HeartbeatTests {
    private static func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "beat-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/beat")
    }

    /// Of times with few digits and with all that an Int64 has, in either order.
    @Test func theLastBeatCountsWhateverItsLength() throws {
        try Self.inFolder { path in
            let heart = try #require(Heartbeat(path: path, boot: "one"))
            #expect(Heartbeat.last(path: path, boot: "one") == nil, "none yet")
            for nanoseconds in [0, 7, Int64.max, 12, 999, 1_000] {
                heart.beat(at: MonotonicTime(nanoseconds: nanoseconds))
                #expect(Heartbeat.last(path: path, boot: "one") == MonotonicTime(nanoseconds: nanoseconds))
            }
        }
    }

    /// CLOCK_MONOTONIC begins again with each boot, so that a beat of another says nothing.
    @Test func aBeatOfAnotherBootIsNone() throws {
        try Self.inFolder { path in
            try #require(Heartbeat(path: path, boot: "one")).beat(at: MonotonicTime(nanoseconds: 5))
            #expect(Heartbeat.last(path: path, boot: "two") == nil)
            try #require(Heartbeat(path: path, boot: "two")).beat(at: MonotonicTime(nanoseconds: 3))
            #expect(Heartbeat.last(path: path, boot: "two") == MonotonicTime(nanoseconds: 3))
            #expect(Heartbeat.last(path: path, boot: "one") == nil)
        }
    }

    @Test(arguments: ["", "\n", "one", "one \n", "one x\n", "one 1 2\n", "5\n", "one 9223372036854775808\n"])
    func whatIsNoBeatIsNone(text: String) throws {
        try Self.inFolder { path in
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(Heartbeat.last(path: path, boot: "one") == nil)
        }
    }

    @Test func withoutItsFolderThereIsNone() throws {
        try Self.inFolder { path in
            #expect(Heartbeat(path: path + "/beat", boot: "one") == nil)
            #expect(Heartbeat.last(path: path, boot: "one") == nil)
        }
    }
}
