// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemKit
import Testing

@testable import Base
@testable import Device

/// The same samples, once in the clear and once encrypted: what the holder of the key opens is what
/// the device would have written, and on the device nothing of it can be read.
@Suite(.timeLimit(.minutes(10))) struct EncryptedRecordingTests {
    private static let lab = AgeIdentity(secret: (0..<32).map { UInt8($0 * 7 + 1) })
    private static let board = AgeIdentity(secret: (0..<32).map { UInt8($0 * 3 + 2) })
    private static let hasAge: Bool = {
        let found = system("age --version >/dev/null 2>&1") == 0
        if !found { print("SKIPPED: the program age is not installed") }
        return found
    }()

    enum Kind: String, CaseIterable, Sendable {
        case motion, field, sound, sentences

        var format: RecordingFormat {
            switch self {
            case .motion: .cwa
            case .field: .csv
            case .sound: .flac
            case .sentences: .nmea
            }
        }
        /// Enough for more than two chunks of 64 KiB.
        var seconds: Int {
            switch self {
            case .motion: 250
            case .field: 290
            case .sound: 12
            case .sentences: 290
            }
        }
    }

    /// One source, played into a folder.
    private final class Run {
        let recorder: any SampleRecorder
        private let kind: Kind
        private var noise = Noise(seed: 5)
        private let vectors = Example.vectorRing()
        private let sound = FrameRing<SoundFrame>(capacity: 1 << 14, repeating: SoundFrame(time: .zero))
        private let bytes = FrameRing<ByteFrame>(capacity: 1 << 14, repeating: ByteFrame(time: .zero))
        private(set) var sealed: [SealedRecording] = []

        init(_ kind: Kind, _ folder: RecordingFolder, isReadAgain: Bool = false, device: UInt32 = 12) throws {
            self.kind = kind
            let (input, source): (RecorderInput, SourceDescription) =
                switch kind {
                case .motion: (.vectors(vectors), Example.accelerometer)
                case .field: (.vectors(vectors), Self.field(rate: 40))
                case .sound: (.sound(sound), Example.microphone)
                case .sentences: (.bytes(bytes), Example.receiver)
                }
            var measure = MeasureConfiguration(identifier: kind.rawValue, format: kind.format)
            measure.isReadAgain = isReadAgain
            let origin = RecordingOrigin(
                study: "s1", participant: "p7", deviceID: device, bootID: "boot-a", zone: Example.berlin)
            recorder = try measure.recorder(of: input, source: source, origin: origin, folder: folder)
        }

        static func field(rate: Double) -> SourceDescription {
            let some = Example.magnetometer
            return SourceDescription(
                kind: some.kind, device: some.device, location: some.location, channels: some.channels,
                nominalRate: rate, fullScale: some.fullScale)
        }

        func second(_ second: Int, _ anchors: [ClockAnchor]) {
            let start = 100 + Double(second)
            switch kind {
            case .motion: fill(100, start)
            case .field: fill(40, start)
            case .sound:
                for part in 0..<40 {
                    let samples = (0..<400).map { _ in Int16(truncatingIfNeeded: noise.next()) }
                    for half in 0..<2 {
                        let piece = Array(samples[(half * 200)..<(half * 200 + 200)])
                        sound.push(Example.sound(piece, at: start + Double(part * 400 + half * 200) / 16_000))
                    }
                }
            case .sentences:
                for part in 0..<14 {
                    let words = "GPXXX,\(noise.next()),\(noise.next())"
                    let sum = words.utf8.reduce(0, ^)
                    let text = "$\(words)*\([sum].hexadecimal.uppercased())\r\n"
                    bytes.push(Example.bytes(text, at: start + Double(part) / 14))
                }
            }
            sealed += recorder.drain(at: MonotonicTime(seconds: start + 1), anchors: anchors)
        }

        private func fill(_ rate: Int, _ start: Double) {
            for index in 0..<rate {
                let x = Int32(truncatingIfNeeded: noise.next() % 2000) - 1000
                vectors.push(Example.vector(x, -500, 1000, at: start + Double(index) / Double(rate)))
            }
        }

        func stop(_ anchors: [ClockAnchor]) {
            sealed += recorder.stop(at: MonotonicTime(seconds: 101 + Double(kind.seconds)), anchors: anchors)
        }
    }

    private func encryption(device: AgeIdentity? = nil) throws -> RecordingEncryption {
        RecordingEncryption(to: [try #require(Self.lab).recipient], device: device?.recipient)
    }

    private func encryptedFolder(_ bench: Workbench) throws -> RecordingFolder {
        try RecordingFolder(bench.path, encryption: encryption())
    }

    private func contents(_ path: String) throws -> [UInt8] {
        let file = try File(path, .read)
        return try file.read(file.size(), at: 0)
    }

    /// Whether any file of the folder has a stretch of the content in it.
    private func shows(_ bench: Workbench, _ content: [UInt8]) throws -> Bool {
        try bench.names().contains { name in
            let bytes = Data(try bench.bytes(name))
            return [0, content.count / 2].contains { bytes.range(of: Data(content[$0..<($0 + 24)])) != nil }
        }
    }

    /// As it was before it was compressed.
    private func plainContents(_ path: String) throws -> [UInt8] {
        path.hasSuffix(".gz") ? try GzipFile.contents(File(path, .read), limit: 1 << 24) : try contents(path)
    }

    @Test(arguments: Kind.allCases)
    func theHolderOfTheKeyGetsWhatWouldHaveBeenWritten(kind: Kind) throws {
        let (clear, bench, open) = (Workbench(), Workbench(), Workbench())
        let (plain, run) = (try Run(kind, clear.folder()), try Run(kind, encryptedFolder(bench)))
        for second in 0..<kind.seconds {
            plain.second(second, [Example.anchor])
            run.second(second, [Example.anchor])
        }
        plain.stop([Example.anchor])
        run.stop([Example.anchor])
        let (expected, sealed) = (try #require(plain.sealed.first), try #require(run.sealed.first))
        #expect(plain.sealed.count == 1 && run.sealed.count == 1)
        #expect(sealed.path.hasSuffix(".age") && sealed.description.contentType == "application/x-age")
        #expect(sealed.bytes > 2 * 65_536 && sealed.description.samplesStored == expected.description.samplesStored)
        #expect(try FileInspector.problems(of: sealed.path) == [])

        let opened = try RecordingOpener([try #require(Self.lab)], into: open.path).open(sealed.path)
        // What is odd about the sentences of the test is so in both.
        #expect(try FileInspector.problems(of: opened) == FileInspector.problems(of: expected.path))
        var found = try #require(try RecordedFile(opened).description)
        // Of a stream that nothing was put into afterwards libFLAC's own digest is missing.
        if kind != .sound { #expect(try contents(opened) == contents(expected.path)) }
        (found.sha256, found.seal, found.bytes) = (expected.sha256, expected.description.seal, expected.bytes)
        found.syncInterval = expected.description.syncInterval
        #expect(found == expected.description)
    }

    @Test(.enabled(if: hasAge, "needs the program age"), arguments: Kind.allCases)
    func ageOpensItToTheFileItself(kind: Kind) throws {
        let (clear, bench) = (Workbench(), Workbench())
        let (plain, run) = (try Run(kind, clear.folder()), try Run(kind, encryptedFolder(bench)))
        for second in 0..<kind.seconds {
            plain.second(second, [Example.anchor])
            run.second(second, [Example.anchor])
        }
        plain.stop([Example.anchor])
        run.stop([Example.anchor])
        let (expected, sealed) = (try #require(plain.sealed.first), try #require(run.sealed.first))
        let folder = try TemporaryFolder("opened")
        try AtomicFile.write(Array(try #require(Self.lab).text.utf8), to: folder.path + "/key")
        #expect(system("age -d -i \(folder.path)/key -o \(folder.path)/x \(sealed.path)") == 0)
        let content = try contents(folder.path + "/x")
        let isText = expected.path.hasSuffix(".gz")
        let whole =
            isText ? try GzipFile.contents(File(expected.path, .read), limit: 1 << 24) : try contents(expected.path)
        // Header and digest of FLAC, which are written last, are not.
        let start = kind == .sound ? 42 : 0
        #expect(content.dropFirst(start).elementsEqual(whole.dropFirst(start)))
        #expect(content.count == whole.count)
    }

    /// Also while it is written: in the open file, the journal, the drafts.
    @Test(arguments: Kind.allCases)
    func nothingOfItCanBeReadOnTheDevice(kind: Kind) throws {
        let (clear, bench) = (Workbench(), Workbench())
        let folder = try encryptedFolder(bench)
        let (plain, run) = (try Run(kind, clear.folder()), try Run(kind, folder))
        let journal = RecordingJournal(in: folder)
        for second in 0..<kind.seconds {
            plain.second(second, [Example.anchor])
            run.second(second, [Example.anchor])
            _ = journal.drain(
                [run.recorder], at: MonotonicTime(seconds: 101 + Double(second)), anchors: [Example.anchor])
        }
        plain.stop([Example.anchor])
        let expected = try #require(plain.sealed.first)
        let content = try plainContents(expected.path)
        #expect(try shows(clear, content) || expected.path.hasSuffix(".gz"))
        #expect(try bench.names().contains { $0.hasSuffix(".age.partial") })
        #expect(try !shows(bench, content))
        run.stop([Example.anchor])
        #expect(try !shows(bench, content))
    }

    /// Of motion 640 bytes come a second, of sound 32 000, and a chunk is 64 KiB.
    @Test(arguments: [(Kind.motion, 20, 70, 3), (.sound, 5, 12, 0)])
    func nothingWaitsForItsChunkLongerThanItMay(kind: Kind, patience: Int, seconds: Int, ended: Int) throws {
        let bench = Workbench()
        let encryption = RecordingEncryption(to: [try #require(Self.lab).recipient], patience: .seconds(patience))
        let run = try Run(kind, RecordingFolder(bench.path, encryption: encryption))
        for second in 0..<seconds { run.second(second, [Example.anchor]) }
        #expect(run.sealed.count == ended)
        for file in run.sealed {
            let length = file.description.endUptime - file.description.startUptime
            #expect(abs(length - Double(patience)) < 3, "\(length)")
        }
        run.stop([Example.anchor])
        #expect(run.sealed.count == ended + 1)
    }

    /// A power cut: what is in whole chunks opens, up to the last whole unit of the file, and no
    /// more is missing than is said.
    @Test(arguments: Kind.allCases, [0, -1, 1, 4000, -4000])
    func whatIsInWholeChunksOutlivesAPowerCut(kind: Kind, more: Int) throws {
        let (clear, bench, open) = (Workbench(), Workbench(), Workbench())
        bench.hasDamagedDescriptions = false
        let (plain, run) = (try Run(kind, clear.folder()), try Run(kind, encryptedFolder(bench)))
        for second in 0..<kind.seconds {
            plain.second(second, [Example.anchor])
            run.second(second, [Example.anchor])
        }
        let taken = run.recorder.counts.due
        let partial = try #require(run.recorder.openFile)
        let bytes = try bench.bytes(partial)
        let header = (bytes.count % 65_552)
        #expect(header == 184 && bytes.count > 2 * 65_536)
        let cut = more <= 0 ? Array(bytes.dropLast(-more)) : bytes + [UInt8](repeating: 0, count: more)
        try bench.write(partial, cut)
        let chunks = (bytes.count - header) / 65_552 - (more < 0 ? 1 : 0)

        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(recovery.faults.isEmpty)
        let sealed = try #require(recovery.sealed.first)
        #expect(sealed.description.isRecovered && sealed.description.age?.isCut == true)
        #expect(try FileInspector.problems(of: sealed.path) == [])
        let opened = try RecordingOpener([try #require(Self.lab)], into: open.path).open(sealed.path)
        #expect(try FileInspector.problems(of: opened) == [])
        let found = try #require(try RecordedFile(opened).description)
        plain.stop([Example.anchor])
        let whole = try #require(plain.sealed.first)
        if kind == .motion {
            let all = try contents(whole.path)
            let kept = try contents(opened)
            #expect(kept.elementsEqual(all.prefix(kept.count)))
            #expect(chunks * 65_536 - kept.count < 512)
        }
        #expect(found.samplesStored > 0 && found.samplesStored < whole.description.samplesStored)
        // Stamps are exact here.
        if kind == .motion || kind == .field {
            #expect(abs((found.measuredRate ?? 0) - (kind == .motion ? 100 : 40)) < 0.1)
        }
        guard found.countedUnit == .samples else { return #expect(found.isLossUnknown == true) }
        #expect(found.samplesStored + (found.samplesLost["powerCut"] ?? 0) >= taken)
        // The device knows at least what it had noted, and never more than there was.
        if more == 0 { #expect(sealed.description.samplesStored <= found.samplesStored) }
        if more == 0, kind != .sound { #expect(sealed.description.samplesStored > 0) }
    }

    /// A copy of a file that is still being written, with its description: it ends within a chunk.
    @Test func aFileThatIsStillWrittenOpensAsFarAsItIsThere() throws {
        let (bench, open) = (Workbench(), Workbench())
        let run = try Run(.motion, encryptedFolder(bench))
        for second in 0..<250 { run.second(second, [Example.anchor]) }
        let partial = try #require(run.recorder.openFile)
        let name = "000001-accelerometer.open"
        let draft = try RecordingDescription(json: bench.bytes(name), path: name)
        #expect(draft.state == .open && draft.age?.isCut != true)
        let opener = try RecordingOpener([try #require(Self.lab)], into: open.path)
        let opened = try opener.open("\(bench.path)/\(partial)", described: draft)
        let (reader, blocks) = try readAll(opened.path)
        #expect(reader.damagedBlocks == 0 && reader.tornBytes == 0 && blocks.count > 2 * 65_536 / 512 - 4)
        #expect(opened.description.samplesStored == 80 * blocks.count && opened.description.isRecovered)
        #expect(try FileInspector.problems(of: opened.path) == [])
    }

    /// Without a key it is whole as far as it shows, and so it is with one.
    @Test func aFileOfWhichNoChunkIsThereYetIsStillBeingWritten() throws {
        let (bench, open) = (Workbench(), Workbench())
        let run = try Run(.motion, encryptedFolder(bench))
        for second in 0..<60 { run.second(second, [Example.anchor]) }
        let path = bench.path + "/" + (try #require(run.recorder.openFile))
        #expect(try FileInspector.problems(of: path) == [])
        #expect(try FileInspector.problems(of: path, opening: [try #require(Self.lab)]) == [])
        let opener = try RecordingOpener([try #require(Self.lab)], into: open.path)
        let error = #expect(throws: FileError.self) { try opener.open(path) }
        let words = "is still being written, or its device ended before"
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(try open.names() == [])
    }

    /// What a power cut ended, of that device.
    private func cut(_ bench: Workbench, device: UInt32 = 12) throws -> SealedRecording {
        bench.hasDamagedDescriptions = true
        let run = try Run(.motion, encryptedFolder(bench), device: device)
        for second in 0..<250 { run.second(second, [Example.anchor]) }
        let partial = try #require(run.recorder.openFile)
        try bench.write(partial, Array(bench.bytes(partial).dropLast(1)))
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        return try #require(recovery.sealed.first)
    }

    /// A receiver puts numbers before names, and keeps files of all devices in one folder.
    @Test func aReceiversNumbersChangeNothing() throws {
        let (first, second, lab) = (Workbench(), Workbench(), Workbench())
        let (plain, open) = (Workbench(), Workbench())
        lab.hasDamagedDescriptions = true
        let sealed = [try cut(first), try cut(second, device: 13)]
        for (one, numbers) in zip(sealed, [(17, 18), (20, 19)]) {
            let name = one.description.relativePath
            try lab.write("\(numbers.0)-\(name)", contents(one.path))
            try lab.write("\(numbers.1)-\(one.description.name.description)", contents(one.descriptionPath))
        }
        let opener = try RecordingOpener([try #require(Self.lab)], into: open.path)
        let expected = try RecordingOpener([try #require(Self.lab)], into: plain.path).open(sealed[0].path)
        let index = RecordingFileIndex()
        var opened: [String] = []
        // The second time nothing is another recording's.
        for _ in 0..<2 {
            opened = try RecordingSelection.files([lab.path]).map { try opener.open($0, in: index) }
        }
        #expect(
            try open.names()
                == ["17", "20"].flatMap { ["\($0)-000001-accelerometer.cwa", "\($0)-000001-accelerometer.json"] }
        )
        #expect(try contents(opened[0]) == contents(expected))
        #expect(try RecordedFile(opened[0]).description == RecordedFile(expected).description)
        #expect(try opened.map { try RecordedFile($0).description?.deviceNumber } == [12, 13])
        #expect(try opened.flatMap { try FileInspector.problems(of: $0) } == [])
    }

    /// Devices number their recordings alike.
    @Test func anotherDevicesRecordingIsNotWrittenOver() throws {
        let (first, second, open) = (Workbench(), Workbench(), Workbench())
        let sealed = [try cut(first), try cut(second, device: 13)]
        let opener = try RecordingOpener([try #require(Self.lab)], into: open.path)
        let path = try opener.open(sealed[0].path)
        let before = try open.names().map { try open.bytes($0) }
        let refusal = #expect(throws: FileError.self) { try opener.open(sealed[1].path) }
        #expect(refusal?.path == sealed[1].path && refusal?.explanation.cause.contains(path) == true)
        #expect(try open.names().map { try open.bytes($0) } == before)
        #expect(try opener.open(sealed[0].path) == path, "the same one may be opened again")
    }

    /// A file without a description: with another's key, cut, and where another is there already.
    @Test func whatCannotBeOpenedLeavesWhatWasThere() throws {
        let (bench, open) = (Workbench(), Workbench())
        let (lab, board) = (try #require(Self.lab), try #require(Self.board))
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let sealed = try AgeWriter.encrypt(content, to: [lab.recipient])
        try bench.write("walk.csv.age", sealed)
        try bench.write("cut.csv.age", Array(sealed.dropLast(100_000)))
        let cases: [(name: String, keys: [AgeIdentity], there: [UInt8]?)] = [
            ("walk.csv", [board], nil), ("walk.csv", [board], [1, 2, 3]), ("walk.csv", [lab], [1, 2, 3]),
            ("cut.csv", [lab], nil), ("cut.csv", [lab], content),
        ]
        for (name, keys, there) in cases {
            if let there { try open.write(name, there) }
            let opener = try RecordingOpener(keys, into: open.path)
            #expect(throws: FileError.self) { try opener.open("\(bench.path)/\(name).age") }
            #expect(try open.names() == (there == nil ? [] : [name]))
            if let there { #expect(try open.bytes(name) == there) }
            unlink("\(open.path)/\(name)")
        }
        for _ in 0..<2 {
            let path = try RecordingOpener([lab], into: open.path).open(bench.path + "/walk.csv.age")
            #expect(try contents(path) == content && open.names() == ["walk.csv"])
        }
    }

    /// Of what came later, an end in the middle would hide that the rest was there.
    @Test(arguments: [false, true]) func onlyDamageThatTheDeviceSealedIsAPowerCuts(isLater: Bool) throws {
        let (bench, open) = (Workbench(), Workbench())
        let run = try Run(.motion, encryptedFolder(bench))
        for second in 0..<250 { run.second(second, [Example.anchor]) }
        func damage(_ name: String) throws {
            var bytes = try bench.bytes(name)
            bytes[bytes.count - 30_000] ^= 1
            try bench.write(name, bytes)
        }
        if !isLater { try damage(#require(run.recorder.openFile)) }
        let sealed = try #require(
            try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
        let opener = try RecordingOpener([try #require(Self.lab)], into: open.path)
        guard isLater else { return #expect(try opener.open(sealed.path).hasSuffix(".cwa")) }
        try damage(sealed.description.relativePath)
        #expect(throws: FileError.self) { try opener.open(sealed.path) }
        #expect(try open.names() == [])
    }

    /// A file of which no chunk is whole has nothing that anybody could open.
    @Test func beforeTheFirstChunkThereIsNothing() throws {
        let bench = Workbench()
        let run = try Run(.motion, encryptedFolder(bench))
        for second in 0..<60 { run.second(second, [Example.anchor]) }
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(recovery.sealed.isEmpty && recovery.removedDrafts.count == 1)
        #expect(try bench.names() == [])
    }

    /// Slow sources fill a chunk in hours: their file ends before.
    @Test func noSampleWaitsLongerThanIsSaid() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let slow = Run.field(rate: 1)
        let recorder = try MeasureConfiguration(identifier: "field", format: .csv).recorder(
            of: .vectors(ring), source: slow, origin: Example.origin, folder: encryptedFolder(bench))
        var sealed: [SealedRecording] = []
        for second in 0..<1000 {
            ring.push(Example.vector(1, 2, 3, at: 100 + Double(second)))
            sealed += recorder.drain(at: MonotonicTime(seconds: 100.1 + Double(second)), anchors: [Example.anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 1101), anchors: [Example.anchor])
        #expect(sealed.count == 4)
        #expect(sealed.map(\.description.samplesStored).reduce(0, +) == 1000)
        #expect(sealed.allSatisfy { $0.description.endUptime - $0.description.startUptime <= 301 })
        #expect(sealed.allSatisfy { $0.description.syncInterval == 300 && $0.description.totalLost == 0 })
    }

    /// The device cannot go back to a file that it began before the clock was known.
    @Test(arguments: [Kind.motion, .field, .sentences])
    func timesArePutRightWhereItIsOpened(kind: Kind) throws {
        let (clear, bench, open) = (Workbench(), Workbench(), Workbench())
        let (plain, run) = (try Run(kind, clear.folder()), try Run(kind, encryptedFolder(bench)))
        for second in 0..<200 {
            plain.second(second, [])
            run.second(second, [])
        }
        let anchor = Example.anchor(at: 305, Instant(seconds: 1_795_251_805))
        plain.stop([anchor])
        run.stop([anchor])
        let (expected, sealed) = (try #require(plain.sealed.first), try #require(run.sealed.first))
        #expect(sealed.description.age?.isUptime == true)
        #expect(sealed.description.startDate == expected.description.startDate)
        #expect(try FileInspector.problems(of: sealed.path) == [])
        let opened = try RecordingOpener([try #require(Self.lab)], into: open.path).open(sealed.path)
        #expect(try FileInspector.problems(of: opened) == FileInspector.problems(of: expected.path))
        #expect(try contents(opened) == contents(expected.path))
    }

    @Test func theDeviceReadsAgainOnlyWhatItHasTo() throws {
        let (bench, open) = (Workbench(), Workbench())
        let (lab, board) = (try #require(Self.lab), try #require(Self.board))
        let folder = try RecordingFolder(bench.path, encryption: encryption(device: board))
        for isReadAgain in [false, true] {
            let run = try Run(.sound, folder, isReadAgain: isReadAgain)
            for second in 0..<2 { run.second(second, [Example.anchor]) }
            run.stop([Example.anchor])
            let sealed = try #require(run.sealed.first)
            #expect(sealed.description.age?.recipients == (isReadAgain ? 2 : 1))
            let opener = try RecordingOpener([board], into: open.path)
            #expect((try? opener.open(sealed.path)) == nil || isReadAgain)
            #expect(try FileInspector.problems(of: sealed.path, opening: [lab]) == [])
        }
    }

    @Test func damageIsFoundWithAndWithoutTheKey() throws {
        let bench = Workbench()
        let run = try Run(.motion, encryptedFolder(bench))
        for second in 0..<250 { run.second(second, [Example.anchor]) }
        run.stop([Example.anchor])
        let sealed = try #require(run.sealed.first)
        let lab = [try #require(Self.lab)]
        #expect(throws: FileError.self) { try RecordedFile(sealed.path) }
        #expect(throws: FileError.self) {
            try FileInspector.problems(of: sealed.path, opening: [try #require(Self.board)])
        }
        var bytes = try contents(sealed.path)
        bytes[bytes.count / 2] ^= 1
        try File(sealed.path, .update).write(bytes, at: 0)
        #expect(try FileInspector.problems(of: sealed.path).count == 1)
        #expect(throws: FileError.self) { try FileInspector.problems(of: sealed.path, opening: lab) }
        bytes[3] ^= 1
        try File(sealed.path, .update).write(bytes, at: 0)
        #expect(try FileInspector.problems(of: sealed.path).count == 2)
    }
}
