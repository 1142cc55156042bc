// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device

/// Sealing that fails half-way, as it does on a full disk: here because a folder has the name that
/// open(2) is asked to write to.
@Suite struct FinishedFilesTests {
    private static let poor = ClockAnchor(
        monotonic: MonotonicTime(seconds: 112), instant: Example.anchor.instant + .milliseconds(12_200),
        source: .kernel,
        uncertainty: .milliseconds(300))
    private static let good = Example.anchor(at: 112.5, Example.anchor.instant + .milliseconds(12_500))

    private func recorder(
        _ bench: Workbench, _ format: RecordingFormat, _ folder: RecordingFolder? = nil
    ) throws -> any SampleRecorder {
        let (ring, isTable) = (Example.vectorRing(), format == .csv)
        let rate = isTable ? 10 : 100
        for index in 0..<10 * rate { ring.push(Example.vector(1, 2, 1000, at: 100 + Double(index) / Double(rate))) }
        return try MeasureConfiguration(identifier: "m", format: format).recorder(
            of: .vectors(ring), source: isTable ? Example.magnetometer : Example.accelerometer,
            origin: Example.origin, folder: folder ?? bench.folder())
    }

    /// How far the first sample of a CWA file is from what its description says, in seconds.
    private func difference(_ path: String) throws -> Double {
        let description = try #require(try RecordedFile(path).description)
        let start = try #require(description.startDate.flatMap(Instant.parsed))
        let first = try #require(try readAll(path).blocks.first?.local(of: 0))
        return (first.instant(offset: 3600) - start).seconds
    }

    /// Two came before the file that waited for one was finished.
    @Test(arguments: [false, true]) func timesAndErrorsAreThoseOfOneAnchor(isEncrypted: Bool) throws {
        let (bench, open) = (Workbench(), Workbench())
        let lab = try #require(AgeIdentity(secret: (0..<32).map { UInt8($0 * 7 + 1) }))
        let encryption = isEncrypted ? RecordingEncryption(to: [lab.recipient]) : nil
        let recorder = try recorder(bench, .cwa, RecordingFolder(bench.path, encryption: encryption))
        #expect(recorder.drain(at: MonotonicTime(seconds: 111), anchors: []).isEmpty)
        let anchors = [Self.poor, Self.good]
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 113), anchors: anchors).first)
        #expect(sealed.description.anchors.first?.uncertainty == 0.005)
        #expect(sealed.description.startDate == "2026-11-21T10:00:00.000000+01:00")
        // How far the other is from it, and what that one may be off.
        #expect(try abs(#require(sealed.description.clockError) - 0.5) < 0.01)
        let path = isEncrypted ? try RecordingOpener([lab], into: open.path).open(sealed.path) : sealed.path
        #expect(try RecordedFile(path).description?.startDate == sealed.description.startDate)
        #expect(try abs(difference(path)) < 0.002)
    }

    /// A better one that comes later finds the times in the file already.
    @Test(arguments: [false, true]) func theNextTryKeepsTheAnchorOfTheOneBefore(isRestart: Bool) throws {
        let bench = Workbench()
        let recorder = try recorder(bench, .cwa)
        let obstacle = bench.path + "/000001-accelerometer.json.tmp"
        #expect(mkdir(obstacle, 0o700) == 0)
        #expect(recorder.stop(at: MonotonicTime(seconds: 113), anchors: [Self.poor]).isEmpty && recorder.fault != nil)
        #expect(rmdir(obstacle) == 0)
        let anchors = [Self.poor, Self.good]
        let sealed =
            isRestart
            ? try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in anchors }.sealed
            : recorder.drain(at: MonotonicTime(seconds: 130), anchors: anchors)
        let file = try #require(sealed.first)
        #expect(file.description.anchors.first?.uncertainty == 0.3)
        #expect(file.description.startDate == "2026-11-21T10:00:00.200000+01:00")
        #expect(try abs(difference(file.path)) < 0.002 && #require(file.description.clockError) >= 0.2)
        #expect(try FileInspector.problems(of: file.path) == [])
    }

    /// Writes reach it, and the flush behind them fails: from then on Linux takes the pages for clean. The
    /// description that is on the disk calls it open, so that a power cut now has it looked at again.
    @Test(arguments: [RecordingFormat.csv, .cwa]) func aFileIsNotFinishedBeforeTheMediumHasIt(
        format: RecordingFormat
    ) throws {
        let bench = Workbench()
        let recorder = try recorder(bench, format)
        let kind = format == .csv ? "magnetometer" : "accelerometer"
        recorder.take(at: MonotonicTime(seconds: 111), anchors: [Example.anchor])
        recorder.sync(.begin)
        let medium = try Unflushable(bench.path + "/" + #require(recorder.openFile))
        recorder.sync(.commit)
        #expect(recorder.fault?.code == EINVAL)
        #expect(recorder.settle().isEmpty && recorder.needsJournal && recorder.waitingFiles == 1)
        let draft = "000001-\(kind).open"
        #expect(try RecordingDescription(json: bench.bytes(draft), path: draft).state == .open)
        medium.mend()
        let sealed = recorder.drain(at: MonotonicTime(seconds: 121), anchors: [Example.anchor])
        #expect(sealed.count == 1 && !recorder.needsJournal)
        for file in sealed { #expect(try FileInspector.problems(of: file.path) == []) }
    }

    /// A flush that a medium refuses may take seconds, and drains come each second.
    @Test func aFileThatTheMediumRefusesIsFlushedAgainTenSecondsLater() throws {
        let bench = Workbench()
        let recorder = try recorder(bench, .csv)
        recorder.take(at: MonotonicTime(seconds: 111), anchors: [Example.anchor])
        recorder.sync(.begin)
        let medium = try Unflushable(bench.path + "/" + #require(recorder.openFile))
        recorder.sync(.commit)
        #expect(recorder.settle().isEmpty)
        medium.mend()
        for (seconds, files) in [(120.9, 0), (121, 1)] {
            let sealed = recorder.drain(at: MonotonicTime(seconds: seconds), anchors: [Example.anchor])
            #expect(sealed.count == files && recorder.needsJournal == (files == 0))
        }
    }

    /// It is tried again every ten seconds.
    @Test func aFileThatTheMediumRefusesForGoodHoldsUpNoOther() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        func push(_ seconds: Int) {
            for tenth in 0..<10 { ring.push(Example.vector(1, 2, 1000, at: Double(seconds) + Double(tenth) / 10)) }
        }
        for seconds in 100..<110 { push(seconds) }
        let recorder = try MeasureConfiguration(identifier: "m", format: .csv, longestGap: .seconds(5)).recorder(
            of: .vectors(ring), source: Example.magnetometer, origin: Example.origin, folder: bench.folder())
        recorder.take(at: MonotonicTime(seconds: 111), anchors: [Example.anchor])
        recorder.sync(.begin)
        let medium = try Unflushable(bench.path + "/" + #require(recorder.openFile))
        recorder.sync(.commit)
        #expect(recorder.settle().isEmpty && recorder.waitingFiles == 1)
        var sealed: [Int] = []
        // The second file ends with a gap.
        for seconds in 112..<150 {
            if !(126..<134).contains(seconds) { push(seconds) }
            let now = MonotonicTime(seconds: Double(seconds + 1))
            sealed += recorder.drain(at: now, anchors: [Example.anchor]).map(\.number)
        }
        #expect(sealed == [2] && recorder.waitingFiles == 1)
        medium.mend()
        sealed += recorder.stop(at: MonotonicTime(seconds: 151), anchors: [Example.anchor]).map(\.number)
        #expect(sealed.sorted() == [1, 2, 3])
    }

    @Test func aRefusedTryTakesNoRoomAndTheNextIsTenSecondsLater() throws {
        let bench = Workbench()
        let recorder = try recorder(bench, .csv)
        let obstacle = "000001-magnetometer.json.tmp"
        #expect(mkdir("\(bench.path)/\(obstacle)", 0o700) == 0)
        #expect(recorder.stop(at: MonotonicTime(seconds: 113), anchors: [Example.anchor]).isEmpty)
        #expect(try bench.names().filter { $0.hasSuffix(".tmp") } == [obstacle])
        #expect(rmdir("\(bench.path)/\(obstacle)") == 0)
        for (seconds, files) in [(122.9, 0), (123, 1)] {
            let sealed = recorder.drain(at: MonotonicTime(seconds: seconds), anchors: [Example.anchor])
            #expect(sealed.count == files && (recorder.fault == nil) == (files == 1))
            for file in sealed { #expect(try FileInspector.problems(of: file.path) == []) }
        }
    }
}

/// Puts /dev/null beneath the open descriptors of a file, which has no flush: fsync(2) says EINVAL.
private struct Unflushable {
    private let held: [(descriptor: CInt, copy: CInt)]

    init(_ path: String) throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        let descriptors = FolderListing.readable("/proc/self/fd").compactMap { CInt($0) }
        held = descriptors.filter { Self.path(of: $0) == path }.map { ($0, dup($0)) }
        try #require(null >= 0 && !held.isEmpty)
        for (descriptor, _) in held { dup2(null, descriptor) }
        close(null)
    }

    func mend() {
        for (descriptor, copy) in held {
            dup2(copy, descriptor)
            close(copy)
        }
    }

    private static func path(of descriptor: CInt) -> String {
        var name = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
        return String(decoding: name.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
