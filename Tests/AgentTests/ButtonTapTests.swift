// SPDX-License-Identifier: Apache-2.0
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Base
@testable import Device
@testable import Exports

@Suite struct ButtonTapTests {
    private let bench = RecordingBench()
    private static let anchor = ClockAnchor(
        monotonic: .zero, instant: Instant(seconds: 1_795_251_600), source: .kernel, uncertainty: .milliseconds(5))

    private func edge(_ button: Int, _ isPressed: Bool, _ seconds: Double) -> ButtonEdge {
        ButtonEdge(button: button, isPressed: isPressed, time: MonotonicTime(seconds: seconds))
    }

    private func rows(
        _ panel: Panel, _ edges: [ButtonEdge]
    ) throws -> (rows: [Substring], sealed: SealedRecording) {
        let tap = ButtonTap(panel, location: "gpiochip0")
        edges.forEach(tap.forward)
        let recorder = try MeasureConfiguration(identifier: "buttons", format: .events).recorder(
            of: .vectors(tap.ring), source: tap.source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder())
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 100), anchors: [Self.anchor]).first)
        let missed = edges.reduce(0) { $0 + $1.missedBefore }
        #expect(recorder.counts.due == edges.count + missed && recorder.counts.stored == edges.count)
        #expect(recorder.counts.totalLost == missed)
        let lines = try RecordedFile(sealed.path).lines()
        var rows: [Substring] = []
        while let line = try lines.next() { rows.append(Substring(decoding: line, as: UTF8.self)) }
        return (rows.filter { $0.first != "#" || $0.hasPrefix("#gap") }, sealed)
    }

    /// Slow hands: the release has the meaning at once; where the finger comes down again the
    /// last one is right.
    @Test func aTremblingReleaseHasItsMeaningInItsRow() throws {
        var panel = Panel.reference
        panel.holdTimes = .slow
        let (rows, _) = try rows(
            panel,
            [
                edge(1, true, 10), edge(1, false, 11.9), edge(1, true, 12), edge(1, false, 12.1), edge(1, true, 20),
                edge(1, false, 20.1), edge(0, true, 30), edge(0, false, 32.1),
            ])
        #expect(meanings(rows) == [" 0", "select 0", " 0", "undo 0", " 0", "select 0", "previous 0", "previous 2"])
    }

    /// What the rows say is what the panel understood: one choice, one marker; the edges of the others
    /// in the 300 ms that slow hands have for a second press are no choice.
    @Test func aButtonWithinTheBridgeOfAnotherHasNoMeaningOfIt() throws {
        var panel = try Panel(
            buttons: Panel.buttons(named: ["left", "middle", "right", "note"], markers: ["note"]),
            leds: [.init("light", .mono)], buzzer: nil)
        panel.holdTimes = .slow
        let (rows, _) = try rows(
            panel,
            [
                edge(1, true, 10), edge(1, false, 10.1), edge(2, true, 10.25), edge(2, false, 10.35),
                edge(1, true, 20), edge(1, false, 20.1), edge(3, true, 20.15), edge(3, false, 20.2),
            ])
        #expect(meanings(rows) == [" 0", "select 0", " 0", " 0", " 0", "select 0", "marker 0", " 0"])
    }

    /// The left button repeats after 0.6 s, each 0.2 s, while the right one is tapped.
    @Test func repetitionsOfAHeldButtonAreCountedAtItsOwnRelease() throws {
        let (rows, _) = try rows(
            .reference, [edge(0, true, 30), edge(2, true, 30.85), edge(2, false, 30.9), edge(0, false, 30.95)])
        #expect(meanings(rows) == ["previous 0", " 0", " 0", "previous 2"])
    }

    private func meanings(_ rows: [Substring]) -> [String] {
        rows.dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false).suffix(2).joined(separator: " ")
        }
    }

    /// By the panel's own rules: a tap of the middle chooses, a hold of 0.8 s undoes; the left
    /// button steps back at once and again after 0.6 s, each 0.2 s; while one is held the
    /// others mean nothing.
    @Test func everyEdgeHasItsTimeAndWhatThePanelTookItFor() throws {
        let (rows, sealed) = try rows(
            .reference,
            [
                edge(1, true, 10), edge(1, false, 10.1), edge(1, true, 20.000_25), edge(1, false, 21),
                edge(0, true, 30), edge(2, true, 30.1), edge(2, false, 30.2), edge(0, false, 31.1),
            ])
        #expect(
            rows == [
                "time,uptime,button,edge,meaning,repeats", "2026-11-21T09:00:10.000000Z,10.000000,middle,down,,0",
                "2026-11-21T09:00:10.100000Z,10.100000,middle,up,select,0",
                "2026-11-21T09:00:20.000250Z,20.000250,middle,down,,0",
                "2026-11-21T09:00:21.000000Z,21.000000,middle,up,undo,0",
                "2026-11-21T09:00:30.000000Z,30.000000,left,down,previous,0",
                "2026-11-21T09:00:30.100000Z,30.100000,right,down,,0",
                "2026-11-21T09:00:30.200000Z,30.200000,right,up,,0",
                "2026-11-21T09:00:31.100000Z,31.100000,left,up,previous,3",
            ])
        #expect(sealed.description.kind == "buttons" && sealed.description.countedUnit == .events)
        #expect(sealed.description.timeError == ButtonTap.stampError && (sealed.description.clockError ?? 1) < 0.02)
        let presses = try ButtonLog.presses(RecordedFile(sealed.path))
        #expect(presses.map(\.meaning) == ["select", "undo", "previous", ""] && presses[2].repeats == 3)
        #expect(presses.map { Int(($0.duration ?? 0) * 1000 + 0.5) } == [100, 1000, 1100, 100])
    }

    /// Before the first edge of a file, and within it an hour after the last: the file goes on, and
    /// says how many are missing where.
    @Test func edgesThatTheKernelDroppedStandInTheFileAndTheLedger() throws {
        var (first, later) = (edge(1, true, 10), edge(1, true, 4000))
        (first.missedBefore, later.missedBefore) = (2, 5)
        let (rows, sealed) = try rows(.reference, [first, edge(1, false, 10.1), later, edge(1, false, 4000.1)])
        #expect(rows.count == 7 && rows[1].hasPrefix("#gap ") && rows[4].hasPrefix("#gap "), "\(rows)")
        #expect(
            rows[1].hasSuffix("samples=2 reason=inputOverrun") && rows[4].hasSuffix("samples=5 reason=inputOverrun"))
        #expect(sealed.description.samplesLost == ["inputOverrun": 7] && sealed.description.samplesStored == 4)
        #expect(try FileInspector.problems(of: sealed.path) == [])
    }

    /// Three presses in 40 s, the last of which were in memory when the process was killed: how
    /// many, nothing on the disk tells.
    @Test func afterAKillTheNumberOfPressesIsUnknown() throws {
        let tap = ButtonTap(.reference, location: "gpiochip0")
        let recorder = try MeasureConfiguration(identifier: "buttons", format: .events).recorder(
            of: .vectors(tap.ring), source: tap.source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder())
        for (second, edges) in [
            (2, [edge(1, true, 1), edge(1, false, 1.2), edge(1, true, 1.5)]), (14, []), (40, [edge(1, false, 39)]),
        ] {
            edges.forEach(tap.forward)
            _ = recorder.drain(at: MonotonicTime(seconds: Double(second)), anchors: [Self.anchor])
        }
        let found = try bench.folder().recover(bootID: "c", zone: .utc) { _ in [] }
        let description = try #require(found.sealed.first).description
        #expect(description.samplesLost.isEmpty && description.isLossUnknown == true && description.samplesStored >= 3)
        #expect(description.json.indentedText.contains("\"isLossUnknown\": true"))
    }

    @Test func aMinuteOfHumIsOneRowAndNoPress() throws {
        let tap = ButtonTap(.reference, location: "gpiochip0")
        var filter = HumFilter()
        for index in 0..<6000 {
            let edge = edge(1, index % 2 == 0, 10 + Double(index) * 0.01)
            if filter.admit(edge) { tap.forward(edge) }
        }
        let row = try #require(filter.settle(at: MonotonicTime(seconds: 75)).first)
        tap.forward(row)
        let recorder = try MeasureConfiguration(identifier: "buttons", format: .events).recorder(
            of: .vectors(tap.ring), source: tap.source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder())
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 100), anchors: [Self.anchor]).first)
        #expect(sealed.description.samplesStored < 22 && row.edges > 5970)
        let lines = try RecordedFile(sealed.path).lines()
        var last = ""
        while let line = try lines.next() { last = String(decoding: line, as: UTF8.self) }
        #expect(last.hasSuffix(",75.000000,middle,hum,,\(row.edges)"), "\(last)")
        #expect(try FileInspector.problems(of: sealed.path) == [])
    }

    /// What the kernel dropped is reported by the panel's button numbers, whatever the board's are.
    @Test func aRenumberedEdgeKeepsWhatItSays() throws {
        final class Source: ButtonSource {
            var descriptor: CInt { -1 }
            func read() throws(SystemError) -> [ButtonEdge] {
                var edge = ButtonEdge(button: 0, isPressed: true, time: .zero)
                (edge.missedBefore, edge.isRestless) = (4, true)
                return [edge]
            }
        }
        let edge = try #require(RenumberedButtons(Source(), numbers: [3]).read().first)
        #expect(edge.button == 3 && edge.missedBefore == 4 && edge.isRestless)
    }

    @Test func aTasksButtonNamesItsTask() throws {
        let panel = try Panel(
            buttons: Panel.buttons(named: ["a", "b", "c", "d"], tasks: ["d": "mood, daily"]),
            leds: [.init("light", .mono)],
            buzzer: nil)
        let (rows, _) = try rows(panel, [edge(3, true, 1), edge(3, false, 1.2)])
        #expect(rows[1].hasSuffix(",d,down,task mood  daily,0") && rows[2].hasSuffix(",d,up,,0"))
    }
}
