// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device

@Suite struct RecordingRecoveryTests {
    /// A recorder that was cut off after `seconds`, with everything durable that a sync 10
    /// s apart makes so.
    private func cutOff(
        _ bench: Workbench, format: RecordingFormat = .cwa, source: SourceDescription = Example.accelerometer,
        anchors: [ClockAnchor] = [Example.anchor]
    ) throws -> String {
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: format).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        for second in 0..<25 {
            let rate = Int(source.nominalRate)
            for index in second * rate..<(second + 1) * rate {
                ring.push(Example.vector(1, 2, 1000, at: 100 + Double(index) / Double(rate)))
            }
            _ = recorder.drain(at: MonotonicTime(seconds: 101 + Double(second)), anchors: anchors)
        }
        return try #require(recorder.openFile)
    }

    @Test(arguments: [
        [UInt8](repeating: 0, count: 700), [UInt8](repeating: 0xFF, count: 512), [UInt8]("AX".utf8), [],
    ])
    func theTailOfACutFileIsCutBackToTheLastWholeBlock(tail: [UInt8]) throws {
        let bench = Workbench()
        let partial = try cutOff(bench)
        let before = try bench.bytes(partial)
        try bench.write(partial, before + tail)
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(recovery.faults.isEmpty && recovery.sealed.count == 1)
        let sealed = try #require(recovery.sealed.first)
        let (reader, blocks) = try readAll(sealed.path)
        #expect(
            reader.damagedBlocks == 0 && reader.tornBytes == 0 && blocks.count * 80 == sealed.description.samplesStored)
        #expect(sealed.description.isRecovered && sealed.description.bytesCut == tail.count)
        // From the first sample to the last, a hundred a second.
        let length = sealed.description.endUptime - sealed.description.startUptime
        #expect(abs(length - Double(sealed.description.samplesStored - 1) / 100) < 0.002)
        // The most that a chip 15 % too fast gives in 10.5 s, and an unfinished block;
        // 2500 were taken.
        let lost = try #require(sealed.description.samplesLost["powerCut"])
        #expect(lost == 1208 + 80 && sealed.description.samplesStored + lost >= 2500)
        #expect(try bench.names() == ["000001-accelerometer.cwa", "000001-accelerometer.json"])
        #expect(try bench.folder().numbers.handOut() == 2)
    }

    /// The recorder looks each five seconds, or when an order wakes it between; the first sample
    /// comes at any moment before.
    @Test(arguments: [0.0, 1.3, 4.9], [14.9, 20.0, 33.7, 44.9])
    func noMoreIsMissingThanIsSaidHoweverSeldomTheRingIsEmptied(phase: Double, power: Double) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        var taken = 0
        for look in [5.0, 10, 11.2, 15, 20, 25, 28.9, 30, 35, 40, 45] where look <= power {
            while phase + Double(taken) / 100 < look {
                ring.push(Example.vector(1, 2, 1000, at: 100 + phase + Double(taken) / 100))
                taken += 1
            }
            _ = recorder.drain(at: MonotonicTime(seconds: 100.002 + look), anchors: [Example.anchor])
        }
        // What came from then until the power went was in the ring.
        taken = max(taken, Int((power - phase) * 100))
        // Where nothing of a file has been made durable, no description tells of it: then it is ten
        // seconds old at most.
        let sealed = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed
        guard let found = sealed.first?.description else { return #expect(taken <= 1000) }
        #expect(found.samplesStored + (found.samplesLost["powerCut"] ?? 0) >= taken)
    }

    /// A line of levels stands for a second from its time on (docs/recordings.md), so a cut file
    /// ends a second after its last line begins, and begins with its first; what a gap and the
    /// filters behind it took is between two lines. Counted here from the lines.
    @Test func aCutFileOfLevelsIsAsLongAsItsLines() throws {
        let bench = Workbench()
        let ring = FrameRing<SoundFrame>(capacity: 4096, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "noise", format: .levels).recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: bench.folder())
        for second in 0..<25 {
            for index in second * 125 / 2..<(second + 1) * 125 / 2 {
                // Three seconds are missing after ten.
                let time = 100 + Double(index) * 0.016 + (index >= 625 ? 3 : 0)
                var frame = Example.sound([Int16](repeating: 100, count: 256), at: time)
                if index == 625 { (frame.lostBefore, frame.reason) = (48_000, LossReason.soundOverrun.rawValue) }
                ring.push(frame)
            }
            _ = recorder.drain(at: MonotonicTime(seconds: 101 + Double(second)), anchors: [Example.anchor])
        }
        let partial = try #require(recorder.openFile)
        let starts = try bench.text(partial).split(separator: "\n").filter { $0.first?.isNumber == true }.compactMap {
            Double($0.split(separator: ",")[1])
        }
        let found = try #require(
            bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first
        ).description
        let (first, last) = try (#require(starts.first), #require(starts.last))
        #expect(starts.count > 10 && found.samplesStored == starts.count * 16_000)
        #expect(abs(found.startUptime - first) < 1e-5 && abs(found.startUptime - 100.5) < 0.001)
        #expect(abs(found.endUptime - (last + 15_999.0 / 16_000)) < 1e-4)
        let lost = (found.endUptime - found.startUptime) * 16_000 + 1 - Double(found.samplesStored)
        #expect(abs(Double(found.samplesLost["soundOverrun"] ?? 0) - lost) < 20, "\(found.samplesLost) not \(lost)")
        #expect(found.begunUptime == 100 && found.samplesLost["notRunning"] == 8000)
        #expect(try #require(found.startDate).hasPrefix("2026-11-21T10:00:00.5"))
    }

    /// A receiver that said `bytes`, all of which is in the open file.
    private func listened(_ bytes: [UInt8], _ bench: Workbench) throws -> (partial: String, stored: Int) {
        let ring = FrameRing<ByteFrame>(capacity: 4096, repeating: ByteFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "place", format: .nmea).recorder(
            of: .bytes(ring), source: Example.receiver, origin: Example.origin, folder: bench.folder())
        for start in stride(from: 0, to: bytes.count, by: 100) {
            let part = bytes[start..<min(start + 100, bytes.count)]
            var frame = ByteFrame(time: MonotonicTime(seconds: 100 + Double(start) / 1000))
            frame.count = UInt16(part.count)
            for (index, byte) in part.enumerated() { frame.bytes[index] = byte }
            ring.push(frame)
        }
        _ = recorder.drain(at: MonotonicTime(seconds: 500), anchors: [Example.anchor])
        return (try #require(recorder.openFile), recorder.counts.stored)
    }

    private static let sentences = (0..<100).flatMap {
        NMEAFraming.bytes("GPRMC,0900\(10 + $0 % 50).00,V,,,,,,,,,,N")
    }

    /// A break on the line is read as a NUL (termios(3), IGNBRK); u-blox' binary messages have many, in gpsd's log
    /// of a ZED-F9R up to 277 in a row.
    enum Nuls: String, CaseIterable, Sendable {
        case aBreak, aMessage, manyMessages

        var bytes: [UInt8] {
            switch self {
            case .aBreak: [0] + sentences
            case .aMessage: sentences + NMEAFramerTests.ubx([UInt8](repeating: 0, count: 277)) + sentences
            case .manyMessages:
                (0..<60).flatMap { sentences.prefix(300 + $0) + NMEAFramerTests.ubx([0, 1, 0, 0, UInt8($0)]) }
                    + sentences
            }
        }
    }

    @Test(arguments: Nuls.allCases) func aNULOfTheReceiverIsAByteOfALine(nuls: Nuls) throws {
        let bench = Workbench()
        let (partial, stored) = try listened(nuls.bytes, bench)
        let before = try bench.bytes(partial)
        try bench.write(partial, before + Array("$GPRMC,09".utf8))
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        let sealed = try #require(recovery.sealed.first)
        #expect(sealed.description.bytesCut == 9 && sealed.description.samplesStored == stored)
        #expect(stored == nuls.bytes.count)
        #expect(try bench.bytes("000001-position.nmea") == before && FileInspector.problems(of: sealed.path) == [])
        // A copy without its description.
        try bench.write("copy.nmea", before)
        #expect(try FileInspector.summary(of: bench.path + "/copy.nmea").stored == stored)
    }

    @Test(.enabled(if: Fixture.has("nmea/ublox-zed-f9r.log"), "needs the logs in ../shared/fixtures"))
    func ofARealLogWithBinaryMessagesNothingIsCut() throws {
        let bench = Workbench()
        let file = try File(try #require(Fixture.path("nmea/ublox-zed-f9r.log")), .read)
        let log = try file.read(file.size(), at: 0)
        let partial = try listened(log, bench).partial
        let before = try bench.bytes(partial)
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(before.count > log.count && recovery.sealed.first?.description.bytesCut == 0)
        #expect(try bench.bytes("000001-position.nmea") == before)
    }

    /// What did not reach the medium is NULs, at the end or in whole blocks before it.
    @Test(arguments: [4096..<8192, 9000..<9001, 9000..<13_096])
    func aHoleOfTheFileSystemEndsALog(hole: Range<Int>) throws {
        let bench = Workbench()
        var bytes = try bench.bytes(listened(Self.sentences + Self.sentences, bench).partial)
        if hole.lowerBound == 9000 { bytes.removeLast(bytes.count - hole.lowerBound) }
        bytes.removeLast(max(0, bytes.count - 12_000))
        bytes += [UInt8](repeating: 0, count: max(0, hole.upperBound - bytes.count))
        for place in hole { bytes[place] = 0 }
        try bench.write("000001-position.nmea.partial", bytes)
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        let whole = try #require(bytes[..<hole.lowerBound].lastIndex(of: 0x0A)) + 1
        #expect(recovery.sealed.first?.description.bytesCut == bytes.count - whole)
        #expect(try bench.bytes("000001-position.nmea") == Array(bytes.prefix(whole)))
        #expect(try FileInspector.problems(of: bench.path + "/000001-position.nmea") == [])
    }

    @Test(arguments: [1, 3]) func damagedBlocksInTheMiddleTakeOnlyTheirOwnSamples(count: Int) throws {
        let bench = Workbench()
        let partial = try cutOff(bench)
        var bytes = try bench.bytes(partial)
        for place in 1024 + 3 * 512..<1024 + (3 + count) * 512 { bytes[place] = 0 }
        try bench.write(partial, bytes)
        let sealed = try #require(
            bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
        let (reader, blocks) = try readAll(sealed.path)
        #expect(reader.damagedBlocks == count && blocks.count * 80 == sealed.description.samplesStored)
        // Blocks of 80 at 100 a second, of which the fourth is the first that is damaged.
        let gap = try #require(sealed.description.gaps.first)
        #expect(sealed.description.gaps.count == 1 && gap.position == 240 && gap.samples == 80 * count)
        #expect(abs(gap.startUptime - 102.39) < 0.01 && abs(gap.endUptime - 102.4 - 0.8 * Double(count)) < 0.01)
        // Their time is a gap; no sample is lost twice.
        let lost = sealed.description.samplesLost
        #expect((lost["powerCut"] ?? 0) + (lost["unknown"] ?? 0) == 1208 + 80 + 80 * count, "\(lost)")
    }

    /// A block of 80 samples at 25 Hz lasts 3.2 s.
    @Test func whatLiesBehindADamagedFirstBlockKeepsItsTimes() throws {
        let slow = SourceDescription(
            kind: .accelerometer, device: "chip", location: "i2c-1 0x18", channels: Example.accelerometer.channels,
            nominalRate: 25, fullScale: 8)
        func recovered(_ damage: Range<Int>) throws -> RecordingDescription {
            let bench = Workbench()
            let partial = try cutOff(bench, source: slow)
            var bytes = try bench.bytes(partial)
            for place in damage { bytes[place] = 0 }
            try bench.write(partial, bytes)
            let found = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
            return try #require(found.sealed.first).description
        }
        let (whole, cut) = try (recovered(0..<0), recovered(1024..<1536))
        #expect(cut.samplesStored == whole.samplesStored - 80 && whole.samplesStored >= 160)
        #expect(abs(whole.startUptime - 100) < 0.02 && abs(cut.startUptime - 103.2) < 0.02)
        #expect(abs(cut.endUptime - whole.endUptime) < 0.01)
        #expect(cut.samplesLost["notRunning"] == whole.samplesLost["notRunning"])
        #expect(cut.samplesLost["powerCut"] == whole.samplesLost["powerCut"].map { $0 + 80 })
    }

    /// A chip may be a tenth slower than it is asked to be, and a block of a slow one lasts half a minute. 1 Hz
    /// is that of a LIS3DH, which is resampled to 3.125 Hz, 6.25 Hz of an ADXL345.
    @Test(arguments: [(1.0, 1.03), (6.25, 1.06), (12.5, 1.09)])
    func aSlowChipHasNoGapAtEachBlock(rate: Double, slowness: Double) throws {
        let bench = Workbench()
        let source = SourceDescription(
            kind: .accelerometer, device: "chip", location: "i2c-1 0x18", channels: Example.accelerometer.channels,
            nominalRate: rate, fullScale: 8)
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        for index in 0..<600 {
            let time = 100 + Double(index) * slowness / rate
            ring.push(Example.vector(1, 2, 1000, at: time))
            _ = recorder.drain(at: MonotonicTime(seconds: time), anchors: [Example.anchor])
        }
        let partial = try #require(recorder.openFile)
        try bench.write("copy.cwa", bench.bytes(partial))
        let shown = try FileInspector.summary(of: bench.path + "/copy.cwa")
        #expect(shown.lost == 0 && shown.stored >= 320)
        let timeline = try CWATimeline(RecordedFile(bench.path + "/copy.cwa"))
        while let block = try timeline.next() { #expect(block.gap == nil) }
        let found = try #require(
            bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first
        ).description
        #expect(found.gaps.isEmpty && found.samplesLost["unknown"] == nil)
        // The end of the last block, a fifth of the file, is reckoned by the nominal rate.
        if rate > 5 { #expect(abs((found.measuredRate ?? 0) * slowness / rate - 1) < (slowness - 1) / 5) }
    }

    /// A chip is as much as a tenth faster than asked for. 2750 were taken, 110 a second.
    @Test(arguments: [0.9, 1, 1.1]) func theBoundHoldsForAFastChipAndTheRateIsTheFiles(_ pace: Double) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .csv).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        var taken = 0
        for second in 1...25 {
            while Double(taken) < Double(second) * 100 * pace {
                ring.push(Example.vector(1, 2, 1000, at: 100 + Double(taken) / (100 * pace)))
                taken += 1
            }
            _ = recorder.drain(at: MonotonicTime(seconds: 100 + Double(second)), anchors: [Example.anchor])
        }
        let found = try #require(
            bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first
        ).description
        #expect(found.samplesStored + (found.samplesLost["powerCut"] ?? 0) >= taken && found.isLossUnknown == nil)
        let (rate, error) = try (#require(found.measuredRate), #require(found.measuredRateError))
        #expect(abs(rate - 100 * pace) <= error && error < 1.5, "\(rate) ± \(error)")
    }

    @Test func aRemovedRecordingIsGoneWithItsDescriptionAndItsNumber() throws {
        let bench = Workbench()
        _ = try cutOff(bench)
        let folder = try bench.folder()
        let sealed = try #require(folder.recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
        try folder.remove(sealed)
        #expect(try bench.names().isEmpty && bench.folder().sealed().recordings.isEmpty)
        #expect(try bench.folder().numbers.handOut() == 2)
    }

    @Test func tornLinesAreCutAndRowsCounted() throws {
        let bench = Workbench()
        let partial = try cutOff(bench, format: .csv, source: Example.magnetometer)
        try bench.write(partial, try bench.bytes(partial) + Array("2026-11-21T09:0".utf8) + [0, 0, 0])
        let sealed = try #require(
            bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
        let rows = try bench.text("000001-magnetometer.csv.gz").split(separator: "\n").filter {
            $0.first?.isNumber == true
        }
        #expect(rows.count == sealed.description.samplesStored && rows.count >= 200)
        #expect(rows.allSatisfy { $0.split(separator: ",").count == 5 } && sealed.description.bytesCut == 18)
    }

    @Test func withoutAnAnchorTheClockIsUnknownInAnotherBootOnly() throws {
        let bench = Workbench()
        _ = try cutOff(bench, anchors: [])
        let same = try bench.folder().recover(bootID: "boot-a", zone: Example.berlin) { _ in [] }
        #expect(same.sealed.isEmpty && same.waiting.count == 1)
        let other = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        let sealed = try #require(other.sealed.first)
        #expect(sealed.description.clock == .unknown && sealed.description.startDate == nil)
        #expect(try readAll(sealed.path).reader.header?["clock"] == "uptime")
    }

    @Test func anAnchorFromTheEventLogPutsTimesRight() throws {
        let bench = Workbench()
        _ = try cutOff(bench, anchors: [])
        let folder = try bench.folder()
        let waiting = try folder.recover(bootID: "boot-a", zone: Example.berlin) { _ in [] }.waiting
        let sealed = try #require(
            folder.sealWaiting(waiting, anchors: [Example.anchor], zone: Example.berlin).first)
        #expect(sealed.description.startDate == "2026-11-21T10:00:00.000000+01:00")
        let start = try #require(readAll(sealed.path).blocks.first?.local(of: 0))
        #expect(start.time.hour == 10 && start.time.minute == 0 && start.time.second == 0)
    }

    @Test func aCutAtAnyStepOfSealingIsMended() throws {
        for text in [false, true] {
            let bench = Workbench()
            let source = text ? Example.magnetometer : Example.accelerometer
            let partial = try cutOff(bench, format: text ? .csv : .cwa, source: source)
            let stem = String(partial.split(separator: ".")[0])
            let (content, draft) = (try bench.bytes(partial), try bench.bytes(stem + ".open"))
            let recover = { () throws -> RecordingRecovery in
                try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
            }
            let first = try #require(recover().sealed.first)
            let names = try bench.names()
            // The last step was not reached: what was to be removed is still there.
            try bench.write(partial, content)
            try bench.write(stem + ".open", draft)
            #expect(try recover().sealed.isEmpty)
            #expect(try bench.names() == names)
            // Neither was the one before: the file has not got its name.
            try DiskFolder(creating: bench.path).remove(first.description.relativePath)
            try bench.write(partial, content)
            try bench.write(stem + ".open", draft)
            try bench.write(partial + ".tmp", [1, 2, 3])
            #expect(try recover().sealed.first?.sha256 == first.sha256)
            #expect(try bench.names() == names)
        }
    }

    /// unlink(2) refuses a folder.
    @Test func aRemainderThatCannotBeRemovedIsOneFaultOfTheRecovery() throws {
        let bench = Workbench()
        let partial = try cutOff(bench)
        _ = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        _ = try cutOff(bench)
        #expect(mkdir("\(bench.path)/\(partial)", 0o700) == 0)
        defer { rmdir("\(bench.path)/\(partial)") }
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(recovery.sealed.map(\.number) == [2] && recovery.faults.count == 1)
    }

    @Test func anEmptyFileIsRemovedAndADamagedDraftIsAFault() throws {
        let bench = Workbench()
        bench.hasDamagedDescriptions = true
        let partial = try cutOff(bench)
        try bench.write(partial, Array(try bench.bytes(partial).prefix(1024)))
        try bench.write("000009-sound.open", Array("{".utf8))
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(recovery.removed == [partial] && recovery.faults.count == 1 && recovery.sealed.isEmpty)
    }

    /// LIS3DH, table 31: 1 Hz is a rate of the chip, 3.125 Hz the least that CWA names (openmovement, cwa.h).
    /// The resampler's first sample is the eighth of the chip; in the next file it is one that was taken before.
    @Test(arguments: [false, true]) func aResampledFileSaysWhenItsFirstSampleWas(isCut: Bool) throws {
        let bench = Workbench()
        let source = SourceDescription(
            kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18",
            channels: [Example.milliG, Example.milliG, Example.milliG], nominalRate: 1, fullScale: 8)
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa, rotation: .seconds(150)).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        var sealed: [SealedRecording] = []
        for second in 0..<(isCut ? 140 : 400) {
            ring.push(Example.vector(1, 2, 1000, at: 100 + Double(second)))
            sealed += recorder.drain(at: MonotonicTime(seconds: 100.5 + Double(second)), anchors: [Example.anchor])
        }
        sealed +=
            try isCut
            ? bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed
            : recorder.stop(at: MonotonicTime(seconds: 500), anchors: [Example.anchor])
        #expect(isCut ? sealed.count == 1 : sealed.count > 1)
        #expect(sealed.first.map { abs($0.description.startUptime - 107) < 0.01 } == true)
        for file in sealed {
            #expect(try FileInspector.problems(of: file.path) == [])
            let (reader, blocks) = try readAll(file.path)
            guard let first = blocks.first?.local(of: 0) else { continue }
            let start = try #require(reader.header?.start?.local)
            let late = (first.instant(offset: 0) - start.instant(offset: 0)).seconds
            #expect((0..<1).contains(late - (file.path == sealed[0].path ? 7 : 0)), "\(late)")
        }
    }
}
