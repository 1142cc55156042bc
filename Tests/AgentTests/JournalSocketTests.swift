// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Logging
import SystemKit
import Testing

@testable import Agent

/// What goes to the journal, read as systemd's JOURNAL_NATIVE_PROTOCOL.md says it, not as our
/// writer does.
@Suite struct JournalSocketTests {
    /// Fields of a datagram; nil where it breaks a rule of the protocol.
    private static func fields(_ datagram: [UInt8]) -> [String: String]? {
        var (rest, fields) = (datagram[...], [String: String]())
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: 10) else { return nil }
            let line = rest[..<end]
            if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                fields[String(decoding: line[..<equals], as: UTF8.self)] =
                    String(decoding: line[(equals + 1)...], as: UTF8.self)
                rest = rest[(end + 1)...]
            } else {
                guard rest.count > line.count + 9 else { return nil }
                let length = rest[(end + 1)..<(end + 9)].reversed().reduce(0) { $0 << 8 | Int($1) }
                let start = end + 9
                guard start + length < rest.endIndex, rest[start + length] == 10 else { return nil }
                fields[String(decoding: line, as: UTF8.self)] = String(
                    decoding: rest[start..<(start + length)], as: UTF8.self)
                rest = rest[(start + length + 1)...]
            }
        }
        return fields
    }

    @Test(arguments: ["one line", "two\nlines", "\n", "", "ends\n", "=", "a=b\nc", "ż\n\u{0}"])
    func aValueComesAsItIs(value: String) {
        let datagram = JournalSocket.datagram([("MESSAGE", value), ("PRIORITY", "5")])
        #expect(Self.fields(datagram) == ["MESSAGE": value, "PRIORITY": "5"])
    }

    /// journalctl takes a field for binary that is not UTF-8, and does not show it.
    @Test func aValueThatIsTooLongIsCutAndStaysText() {
        let datagram = JournalSocket.datagram([("MESSAGE", "x" + String(repeating: "ż", count: 10_000))])
        let value = Array(datagram.dropFirst("MESSAGE=".utf8.count).dropLast())
        #expect((JournalSocket.longest...JournalSocket.longest + 2).contains(value.count))
        #expect(Array(String(decoding: value, as: UTF8.self).utf8) == value)
    }

    private func log(_ path: String) -> Logger {
        Logger(label: "studyd") { JournalLogHandler(label: $0, prefixed: true, journal: JournalSocket(path)) }
    }

    @Test func aChangeOfStateIsOneEntryWithItsFields() async throws {
        try await AgentFixture.inFolder { folder in
            let listener = try SystemdNotifierTests.Listener(path: folder + "/journal")
            log(folder + "/journal").record(StateChange(.promptsPaused, ["why": "clock"]))
            let fields = Self.fields(Array((listener.next() ?? "").utf8))
            #expect(
                fields == [
                    "MESSAGE": "prompts are paused STUDYD_STATE=prompts-paused why=clock", "PRIORITY": "4",
                    "SYSLOG_IDENTIFIER": "studyd", "MESSAGE_ID": "07663ed947604381919dbd550a7fae5c",
                    "STUDYD_STATE": "prompts-paused", "STUDYD_WHY": "clock",
                ])
            #expect(listener.next() == nil)
            // What is no change of state goes its old way.
            log(folder + "/journal").debug("nothing")
            #expect(listener.next() == nil)
        }
    }

    @Test func aFaultOfManyLinesStaysWhole() async throws {
        try await AgentFixture.inFolder { folder in
            let listener = try SystemdNotifierTests.Listener(path: folder + "/journal")
            log(folder + "/journal").record(StateChange(.partFails, ["fault": "bus\nchip"]))
            let fields = Self.fields(Array((listener.next() ?? "").utf8))
            #expect(fields?["STUDYD_FAULT"] == "bus\nchip" && fields?["PRIORITY"] == "3")
        }
    }

    /// systemd-journald itself, in a separate mount namespace, and what journalctl then finds by
    /// the id.
    @Test(.timeLimit(.minutes(10))) func aRealJournalFindsTheEntryByItsId() async throws {
        guard geteuid() == 0, access("/lib/systemd/systemd-journald", X_OK) == 0 else {
            return print("SKIPPED: no systemd-journald here, or not root")
        }
        try await AgentFixture.inFolder { folder in
            let bytes = JournalSocket.datagram([
                ("MESSAGE", "hardware fault=bus\nchip"), ("PRIORITY", "3"), ("SYSLOG_IDENTIFIER", "studyd"),
                ("MESSAGE_ID", StateChange.Kind.partFails.messageID), ("STUDYD_STATE", "part-fails"),
                ("STUDYD_FAULT", "bus\nchip"),
            ])
            try AtomicFile.write(bytes, to: folder + "/datagram")
            let id = StateChange.Kind.partFails.messageID
            try AtomicFile.write(Array(Self.script.utf8), to: folder + "/journal.sh")
            let found = ReportSchema.output(["unshare", "-m", "sh", folder + "/journal.sh", folder + "/datagram", id])
            guard let found else { return print("SKIPPED: no mount namespace, or journald does not start in one") }
            #expect(found.contains(#""STUDYD_FAULT":"bus\nchip""#) && found.contains(#""STUDYD_STATE":"part-fails""#))
            #expect(found.contains(#""PRIORITY":"3""#) && found.contains(#""SYSLOG_IDENTIFIER":"studyd""#))
        }
    }

    private static let script = """
        mount -t tmpfs none /run && mkdir -p /run/systemd /run/log/journal || exit 3
        /lib/systemd/systemd-journald > /dev/null 2>&1 &
        journal=$!
        trap 'kill $journal' EXIT
        i=0; while [ ! -S /run/systemd/journal/socket ] && [ $i -lt 60 ]; do sleep 0.1; i=$((i + 1)); done
        python3 -c 'import socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.connect("/run/systemd/journal/socket")
        s.send(open(sys.argv[1], "rb").read())' "$1" || exit 3
        i=0; while [ $i -lt 30 ]; do
            journalctl -D /run/log/journal/* -q -o json "MESSAGE_ID=$2" 2> /dev/null | grep . && exit 0
            sleep 0.1; i=$((i + 1))
        done
        exit 3
        """

    @Test func withoutAJournalNothingIsTaken() {
        #expect(!JournalSocket("/nowhere/at/all").send([("MESSAGE", "x")]))
        #expect(!JournalSocket(String(repeating: "x", count: 200)).send([("MESSAGE", "x")]))
    }

    /// systemd.journal-fields(7): a MESSAGE_ID is a 128-bit id in lower-case hexadecimal; upper-case
    /// names of at most 64 characters.
    @Test func everyChangeHasAnIdOfItsOwnThatTheDocsName() throws {
        let ids = StateChange.Kind.allCases.map(\.messageID)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
        let page = try BoundedFile.text(AgentFixture.package + "/docs/device-health.md")
        for kind in StateChange.Kind.allCases {
            #expect(page.contains("| `\(kind.rawValue)` | `\(kind.messageID)` |"), "\(kind.rawValue)")
        }
    }
}
