// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Glibc
import Simulation
import Study
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct DirectoryDestinationTests {
    /// A stick, known by its marker, and the device's own folder.
    private final class Rig {
        let stick: String
        let own: String
        let destination: DirectoryDestination
        let client: HTTPClient

        init(in parent: String = NSTemporaryDirectory()) throws {
            stick = try UploadFixture.folder(in: parent)
            own = try UploadFixture.folder()
            destination = try DirectoryDestinationTests.destination(stick, marker: "studyd-stick")
            client = try HTTPClient(userAgent: "t")
            plugIn()
        }

        deinit {
            for folder in [stick, own, stick + ".pulled"] { try? FileManager.default.removeItem(atPath: folder) }
        }

        func plugIn() { _ = FileManager.default.createFile(atPath: stick + "/studyd-stick", contents: nil) }

        /// What is mounted goes; the card's own empty folder is left.
        func pull() throws {
            try FileManager.default.moveItem(atPath: stick, toPath: stick + ".pulled")
            try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
        }

        func plugInAgain() throws {
            try FileManager.default.removeItem(atPath: stick)
            try FileManager.default.moveItem(atPath: stick + ".pulled", toPath: stick)
        }

        func files() -> [String] {
            let found = FileManager.default.enumerator(atPath: stick)?.compactMap { $0 as? String } ?? []
            return found.filter { $0.contains("/") && $0.contains(".") }.map {
                String($0.split(separator: "/").last ?? "")
            }
            .sorted()
        }

        func content(_ place: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(stick)/\(place)")) }
    }

    private static func destination(_ path: String, marker: String? = nil) throws -> DirectoryDestination {
        var values: [String: DestinationSettings.Value] = ["path": .text(path)]
        values["marker"] = marker.map { .text($0) }
        return try DirectoryDestination(DestinationSettings(name: "stick", takes: .both, values: values))
    }

    private func job(_ draft: OutboxDraft, _ folder: String, bytes: Int64? = nil, study: String = "s/ż:1")
        -> DeliveryJob
    {
        var content = draft.content
        if case .file(var file) = content {
            file.metadata = [:]
            if let bytes { file.bytes = bytes }
            content = .file(file)
        }
        var file: FileReference?
        if case .file(let reference) = content { file = reference }
        let queued = QueuedItem(
            id: "i", origin: draft.origin, itemClass: draft.itemClass, destination: "stick", requestDigest: nil,
            bytes: 1, file: file)
        return DeliveryJob(
            item: OutboxItem(
                item: queued, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil), content: content,
            directory: folder, location: nil, offset: nil,
            chunk: 262_144, owner: ["study": study, "participant": "P 1"])
    }

    /// Where files of this suite's study lie; `/`, `:` and a blank are none of FAT's
    /// (Microsoft, "Naming Files, Paths, and Namespaces").
    private static let folder = "s%2F%C5%BC%3A1/P%201/e1"

    private func delivered(_ job: DeliveryJob, _ rig: Rig, after: (DeliveryStep) throws -> Void = { _ in }) throws
        -> DeliveryStep
    {
        var job = job
        for _ in 0..<500 {
            let step = try rig.destination.send(job, by: rig.client)
            switch step {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(let offset): job.offset = offset
            default: return step
            }
            try after(step)
        }
        return .finished(.retry(reason: "no end"))
    }

    private func receipt(_ step: DeliveryStep) -> String? {
        if case .finished(.delivered(let receipt)) = step { receipt } else { nil }
    }

    private func reason(_ step: DeliveryStep) -> String? {
        if case .finished(.retry(let reason)) = step { reason } else { nil }
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000])
    func aFileIsThereByteForByteUnderItsEnrolment(bytes: Int) throws {
        let rig = try Rig()
        let draft = try UploadFixture.file("000001-x.cwa", bytes: bytes, in: rig.own)
        let end = try delivered(job(draft, rig.own), rig)
        #expect(receipt(end)?.hasSuffix("read back") == true, "\(end)")
        let source = try Data(contentsOf: URL(fileURLWithPath: rig.own + "/000001-x.cwa"))
        #expect(try rig.content(Self.folder + "/000001-x.cwa") == source)
        #expect(rig.files() == ["000001-x.cwa", "labels.json"])
        let labels = try #require(
            try JSONSerialization.jsonObject(with: rig.content(Self.folder + "/labels.json")) as? [String: Any])
        #expect(labels["study"] as? String == "s/ż:1" && labels["participant"] as? String == "P 1")
        #expect(labels["enrolment"] as? String == "e1")
    }

    @Test func answersAreFilesAndTheSameIsNotWrittenTwice() throws {
        let rig = try Rig()
        let draft = UploadFixture.draft("{\"a\":1}", to: "https://study.example.org", destination: "stick")
        #expect(receipt(try delivered(job(draft, rig.own), rig)) != nil)
        let place = Self.folder + "/answers-i.bin"
        let before =
            try FileManager.default.attributesOfItem(atPath: "\(rig.stick)/\(place)")[.systemFileNumber] as? Int
        #expect(receipt(try delivered(job(draft, rig.own), rig)) != nil)
        let after = try FileManager.default.attributesOfItem(atPath: "\(rig.stick)/\(place)")[.systemFileNumber] as? Int
        #expect(before == after)
        let other = UploadFixture.draft("{\"a\":2}", to: "https://study.example.org", destination: "stick")
        #expect(receipt(try delivered(job(other, rig.own), rig))?.contains("answers-i.bin~2 7 bytes") == true)
        #expect(try rig.content(place) == Data("{\"a\":1}".utf8))
    }

    /// What Linux's FAT leaves of a rename where the stick is pulled out before its end (Tests/vm/stick.py).
    @Test func aNameThatLostItsContentIsGivenOnceMore() throws {
        let rig = try Rig()
        let draft = try UploadFixture.file("000001-x.cwa", bytes: 300, in: rig.own)
        let source = try Data(contentsOf: URL(fileURLWithPath: rig.own + "/000001-x.cwa"))
        #expect(receipt(try delivered(job(draft, rig.own), rig)) != nil)
        for name in ["000001-x.cwa", "labels.json"] { truncate("\(rig.stick)/\(Self.folder)/\(name)", 0) }
        #expect(receipt(try delivered(job(draft, rig.own), rig))?.contains("000001-x.cwa 300 bytes") == true)
        #expect(try rig.content(Self.folder + "/000001-x.cwa") == source)
        #expect(try !rig.content(Self.folder + "/labels.json").isEmpty)
        #expect(rig.files() == ["000001-x.cwa", "labels.json"])
    }

    /// A power cut leaves any part of the file; and where the medium had not got all of what the file
    /// system counted, other bytes, which only reading back can find.
    @Test func afterACutAtEveryByteTheFileIsWhole() throws {
        let rig = try Rig()
        let draft = try UploadFixture.file("000001-x.cwa", bytes: 300, in: rig.own)
        let source = try Data(contentsOf: URL(fileURLWithPath: rig.own + "/000001-x.cwa"))
        let place = Self.folder + "/000001-x.cwa"
        for count in 0...300 {
            for isTorn in [false, true] where count > 0 || !isTorn {
                try? FileManager.default.removeItem(atPath: "\(rig.stick)/\(place)")
                var job = job(draft, rig.own)
                guard case .located(let location?) = try rig.destination.send(job, by: rig.client) else {
                    Issue.record("no place was made")
                    return
                }
                var left = source.prefix(count)
                if isTorn { left[left.startIndex + count - 1] ^= 0xFF }
                try left.write(to: URL(fileURLWithPath: "\(rig.stick)/\(place).part"))
                job.location = location
                var end = try delivered(job, rig)
                if isTorn {
                    #expect(reason(end)?.contains("what was read back is not what was written") == true, "\(count)")
                    end = try delivered(job, rig)
                }
                #expect(receipt(end) != nil, "\(count): \(end)")
                #expect(try rig.content(place) == source)
            }
        }
    }

    @Test func aStickThatIsPulledOutAndComesBackIsGoneOnWithAndTheCardStaysEmpty() throws {
        let rig = try Rig()
        let draft = try UploadFixture.file("000001-x.cwa", bytes: 900_000, in: rig.own)
        var pulled = false
        let end = try delivered(job(draft, rig.own), rig) { step in
            guard case .progressed(let offset?) = step, offset > 0, !pulled else { return }
            pulled = true
            try rig.pull()
        }
        #expect(pulled && reason(end)?.contains("there is no file studyd-stick; plug in the stick") == true, "\(end)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.stick).isEmpty, "the card's own folder")
        #expect(!rig.destination.medium.isThere)
        try rig.plugInAgain()
        #expect(rig.destination.medium.isThere)
        var job = job(draft, rig.own)
        job.location = Self.folder + "/000001-x.cwa"
        var offsets: [Int64] = []
        #expect(
            receipt(
                try delivered(job, rig) { if case .progressed(let offset?) = $0 { offsets.append(offset) } }) != nil)
        #expect(offsets.first == 262_144, "what was there is not written again")
    }

    /// Whose mount points they are is the kernel's word.
    @Test func onlyAMountedFileSystemIsAStickWithoutAMarker() throws {
        let own = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: own) }
        #expect(try !Self.destination(own).medium.isThere, "a folder of the card")
        #expect(try !Self.destination(own + "/absent").medium.isThere)
        for mount in ["/proc", "/sys"] { #expect(try Self.destination(mount).medium.isThere, "\(mount)") }
        let rig = try Rig()
        let draft = try UploadFixture.file("a.csv", bytes: 10, in: rig.own)
        let end = try Self.destination(own).send(job(draft, rig.own), by: rig.client)
        #expect(reason(end)?.contains("nothing is mounted there; plug in the stick") == true, "\(end)")
    }

    @Test func aStickThatIsTooFullSaysSoBeforeAByteIsWritten() throws {
        let rig = try Rig()
        let draft = try UploadFixture.file("a.csv", bytes: 10, in: rig.own)
        let end = try rig.destination.send(job(draft, rig.own, bytes: 1 << 50), by: rig.client)
        #expect(reason(end)?.contains("the stick is full; copy what is on it") == true, "\(end)")
        #expect(rig.files().isEmpty)
    }

    /// FAT takes at most 2³² - 1 bytes; elsewhere a file of more has its place as well. `/tmp` may be in memory.
    @Test(
        .enabled(if: (DiskSpace(at: "/var/tmp")?.free ?? 0) > 6 << 30, "less than 6 GiB are free in /var/tmp"),
        arguments: [4_294_967_295, 4_294_967_296] as [Int64])
    func aFileThatFATDoesNotTakeHasItsPlaceElsewhere(bytes: Int64) throws {
        let rig = try Rig(in: "/var/tmp/")
        let draft = try UploadFixture.file("a.csv", bytes: 10, in: rig.own)
        let step = try rig.destination.send(job(draft, rig.own, bytes: bytes), by: rig.client)
        #expect(step == .located(Self.folder + "/a.csv"))
        #expect(try rig.content(Self.folder + "/a.csv.part").isEmpty)
    }

    /// errno(3).
    @Test(arguments: [
        (ENOSPC, "full"), (EDQUOT, "full"), (EROFS, "read-only"), (EFBIG, "exFAT"), (EACCES, "uid=studyd"),
        (EIO, "pulled out"), (ENODEV, "pulled out"), (ENOENT, "plug in"), (ELOOP, "look at the stick"),
    ]) func eachFaultHasItsRemedy(code: CInt, word: String) {
        #expect("\(MediumFault(code, "a").explanation)".contains(word))
    }

    @Test(
        arguments: [
            ("stick", nil, "no absolute path"), ("/", nil, "no absolute path"), ("/m", "a/b", "no file's name"),
            ("/m", "..", "no file's name"), ("/m", "", "no file's name"), ("", nil, "is missing"),
        ] as [(String, String?, String)]) func aSettingThatCannotBeIsRefused(
            path: String, marker: String?, words: String
        )
    {
        let error = #expect(throws: DestinationSettingError.self) { try Self.destination(path, marker: marker) }
        #expect(error?.cause.contains(words) == true, "\(String(describing: error))")
    }
}

@Suite(.timeLimit(.minutes(10))) struct StickWatchTests {
    @Test func itLooksEachFiveSecondsAndSaysOnceThatAStickWasPluggedIn() async throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = VirtualClock(now: .epoch)
        let mailbox = Mailbox()
        let (plugged, plug) = AsyncStream.makeStream(of: Int64.self)
        let watch = StickWatch(
            database: try StudyDatabase(.memory),
            stick: try DirectoryDestination(
                DestinationSettings(
                    name: "stick", takes: .both,
                    values: ["path": .text(folder), "marker": .text("studyd-stick")])),
            clock: clock, pluggedIn: { plug.yield(clock.monotonic.nanoseconds) }, mailbox: mailbox)
        let running = Task { try await watch.run() }
        await clock.whenSleeping(1)
        _ = FileManager.default.createFile(atPath: folder + "/studyd-stick", contents: nil)
        for millisecond in [4_999, 5_000, 10_000, 15_000] as [Int64] {
            clock.advance(to: MonotonicTime(nanoseconds: millisecond * 1_000_000))
            await clock.whenSleeping(1)
        }
        running.cancel()
        try await running.value
        plug.finish()
        var times: [Int64] = []
        for await time in plugged { times.append(time) }
        #expect(times == [5_000_000_000])
        var news = mailbox.events.makeAsyncIterator()
        guard case .removable(true, isNews: true)? = await news.next() else {
            Issue.record("nothing waits for it")
            return
        }
    }
}

@Suite struct StickStateTests {
    @Test func aloudOnceSinceItWasPluggedInThenByLight() {
        var state = StickState()
        func look(_ isThere: Bool, _ waits: Bool) -> [StickState.Change] {
            state.update(isThere: isThere, waits: waits)
        }
        #expect(look(false, true).isEmpty && look(false, false).isEmpty, "it is not there")
        #expect(look(true, true) == [.pluggedIn])
        #expect(look(true, true).isEmpty)
        #expect(look(true, false) == [.removable(true, isNews: true)])
        #expect(look(true, false).isEmpty)
        // An hour later a recording is written.
        #expect(look(true, true) == [.removable(false, isNews: false)])
        #expect(look(true, false) == [.removable(true, isNews: false)])
        #expect(look(false, false) == [.removable(false, isNews: false)])
        // Plugged in again, with nothing to write.
        #expect(look(true, false) == [.pluggedIn, .removable(true, isNews: true)])
    }
}
