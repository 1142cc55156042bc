// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent

private let subject = CheckSubject(.position, "x")

/// Goes on by this long whenever it is asked: who listens for seconds looks as often on a busy machine as on any.
private final class AskedClock: StudyClock {
    private let asked = Mutex(0)

    var monotonic: MonotonicTime {
        let count = asked.withLock {
            $0 += 1
            return $0
        }
        return MonotonicTime.zero + .milliseconds(50 * count)
    }
    var now: Instant { .epoch }
    var marks: ClockMarks { ClockMarks() }
    func sleep(until deadline: MonotonicTime) async throws {}
}

@Suite struct PositionVerdictTests {
    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }
    private static func hearing(_ bodies: [String], baud: Int) -> PositionReport {
        var hearing = PositionReport(baud: baud)
        for body in bodies { hearing.add(Array(sentence(body).utf8)[...]) }
        hearing.end()
        return hearing
    }
    private static let withFix = [
        "GPGGA,123519.00,4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1",
        "GPRMC,123519.00,A,4807.0380,N,01131.0000,E,0.1,84.4,230326,,,A",
    ]
    private static let void = [
        "GPRMC,,V,,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,", "GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99",
    ]

    private static func finding(_ hearings: PositionReport..., expected: Int = 9600) -> CheckFinding {
        var verdict = PositionVerdict(expected: expected)
        for hearing in hearings { verdict.add(hearing) }
        return verdict.finding(subject)
    }

    @Test func aFixIsWell() {
        let found = Self.finding(Self.hearing(Self.withFix, baud: 9600))
        #expect(
            found.result == .ok && found.detail.contains("3 sentences at 9600 baud, fix with height, 8 satellites"),
            "\(found)")
    }

    /// The sentences of a moment belong together; only the next moment, or the end, says that they are all.
    @Test func aFixCountsOnceItIsWhole() {
        var hearing = PositionReport(baud: 9600)
        for body in Self.withFix { hearing.add(Array(Self.sentence(body).utf8)[...]) }
        #expect(hearing.sentences == 3 && hearing.mode == 0 && hearing.satellites == nil)
        hearing.end()
        #expect(hearing.sentences == 3 && hearing.mode == 3 && hearing.satellites == 8)
    }

    /// By the real code of the serial line, at the board's speed. What arrived before it was opened is thrown
    /// away, so that the receiver goes on speaking.
    @Test func aReceiverOnALineIsHeard() throws {
        let line = try PseudoTerminal()
        let said = Array(Self.withFix.map(Self.sentence).joined().utf8)
        let isOver = Mutex(false)
        let receiver = try NamedThread(name: "test-receiver") {
            while !isOver.withLock({ $0 }) {
                if line.waiting == 0 { line.send(said) }
                poll(nil, 0, 1)
            }
        }
        let board = BoardDescriptionTests.least + "[position]\ndevice = \"\(line.path)\"\n"
        var found: [CheckFinding] = []
        PositionProbe(
            setting: CheckSetting(
                board: try BoardDescription(parsing: board, file: "b.toml"), clock: AskedClock(),
                trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: "/tmp")
        ).run { found.append($0) }
        isOver.withLock { $0 = true }
        receiver.join()
        #expect(found.map(\.result) == [.ok], "\(found)")
        #expect(
            found.first?.detail.contains("sentences at 9600 baud, fix with height, 8 satellites") == true, "\(found)")
        // termios(3): the line keeps the speed that was set last, for as long as one end is open.
        var settings = termios()
        let port = open(line.path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        defer { close(port) }
        try #require(tcgetattr(port, &settings) == 0)
        let speed = cfgetospeed(&settings)
        #expect(speed == speed_t(B9600), "who is understood is listened to at no other speed")
    }

    @Test func noFixIsAWarning() {
        let found = Self.finding(Self.hearing(Self.void, baud: 9600))
        #expect(
            found.result == .warning && found.detail.contains("no fix") && found.remedy?.contains("open sky") == true)
    }

    @Test func anotherSpeedIsNamed() {
        let noise = {
            var hearing = PositionReport(baud: 9600)
            hearing.add([0xFF, 0x80, 0x11, 0x24, 0x0A])
            return hearing
        }()
        let found = Self.finding(noise, Self.hearing(Self.withFix, baud: 38_400))
        #expect(found.result == .warning && found.remedy?.contains("baud = 38400") == true)
    }

    @Test func garbageAndSilenceAreToldApart() {
        var noise = PositionReport(baud: 9600)
        noise.add([0xFF, 0x80, 0x11])
        #expect(Self.finding(noise).detail == "3 bytes received at 9600 baud, but no valid sentence")
        let silent = Self.finding(PositionReport(baud: 9600), PositionReport(baud: 38_400))
        #expect(silent.detail == "no data received at 9600, 38400 baud" && silent.remedy?.contains("TXD") == true)
    }
}
