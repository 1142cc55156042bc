// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import SystemKit
import Testing

@testable import Agent

/// Documentation/block/stat.rst, with a line of a Raspberry Pi's card.
@Suite struct CardGaugeTests {
    private static let card =
        "   48117    11733  3412954   295013   229733   277283  7168552  3218133        0   857520  3513147\n"

    private static func device(of path: String) -> String {
        var status = stat()
        _ = stat(path, &status)
        return HealthReader.majorMinor(status.st_dev)
    }

    @Test func theWholeCardCountsAndNotThePartitionAlone() throws {
        let tree = try SysfsTree()
        let gauge = CardGauge(root: tree.path, folder: tree.path)
        #expect(gauge.written == nil)
        let place = "dev/block/\(Self.device(of: tree.path))"
        tree["\(place)/stat"] = "1 1 1 1 1 1 2 1 0 1 1\n"
        #expect(gauge.written == 1024)
        tree["\(place)/partition"] = "2\n"
        tree["dev/block/stat"] = Self.card
        #expect(gauge.written == Int64(7_168_552) * 512)
        withExtendedLifetime(tree) {}
    }

    @Test(arguments: [
        "", "1 2 3\n", "a b c d e f g\n", "1 1 1 1 1 1 99999999999999999999 1\n", "1 1 1 1 1 1 9223372036854775807 1",
    ])
    func whatIsNoCountIsNotKnown(text: String) throws {
        let tree = try SysfsTree()
        tree["dev/block/\(Self.device(of: tree.path))/stat"] = text
        #expect(CardGauge(root: tree.path, folder: tree.path).written == nil)
    }

    /// The kernel says the same in another place: the tenth word of a line of /proc/diskstats
    /// (Documentation/admin-guide/iostats.rst).
    @Test func itIsWhatTheKernelSaysElsewhere() throws {
        let lines = ((try? String(contentsOfFile: "/proc/diskstats", encoding: .utf8)) ?? "").split(separator: "\n")
        let own = Self.device(of: AgentFixture.package).split(separator: ":")
        let line = lines.map { $0.split(separator: " ") }.first { $0.count > 9 && $0[0] == own[0] && $0[1] == own[1] }
        guard let line, let sectors = Int64(line[9]) else {
            return print("SKIPPED: the tree lies on no disk of /proc/diskstats")
        }
        let written = try #require(CardGauge(folder: AgentFixture.package).written)
        // Of the whole disk at least what went to this part of it before.
        #expect(written >= sectors * 512)
    }
}
