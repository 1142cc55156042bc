// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Base
@testable import Device

/// A small real file system for one test, with faults that the kernel itself makes. Needs root.
private final class SmallDisk: Sendable {
    let path: String
    private let image: String

    /// ext4 of 16 MB on a file.
    init?() {
        var template = Array("/tmp/studyd-disk-XXXXXX".utf8CString)
        guard let made = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) else {
            return nil
        }
        path = String(cString: made)
        image = path + ".img"
        guard shell("truncate -s 16M \(image) && mkfs.ext4 -q -F \(image)"), mount() else { return nil }
    }

    deinit {
        _ = shell("umount \(path)")
        _ = shell("rmdir \(path); rm -f \(image)")
    }

    func mount() -> Bool { shell("mount -o loop,errors=remount-ro \(image) \(path)") }
    /// Ends the file system, checks it and begins it again, as a restart would.
    func mend() -> Bool { shell("umount \(path) && { fsck.ext4 -fy \(image); test $? -lt 4; }") && mount() }
    func freeze() -> Bool { shell("fsfreeze -f \(path)") }
    func thaw() { _ = shell("fsfreeze -u \(path)") }
    /// The kernel finds damage, and remounts read-only.
    func breakReadOnly() -> Bool {
        shell("d=$(findmnt -n -o SOURCE \(path)); echo damage > /sys/fs/ext4/${d#/dev/}/trigger_fs_error")
    }
    /// Every further call fails with EIO.
    func breakOff() -> Bool {
        shell(
            "python3 -c \"import fcntl,os,struct;f=os.open('\(path)',0);fcntl.ioctl(f,0x8004587d,struct.pack('I',2))\"")
    }

    static let isPossible: Bool = {
        if geteuid() == 0, let disk = SmallDisk(), disk.freeze() {
            disk.thaw()
            return true
        }
        print("SKIPPED: no file system can be mounted here (root, loop devices and ext4 are needed)")
        return false
    }()
}

private func shell(_ command: String) -> Bool {
    guard let pipe = popen("{ \(command); } >/dev/null 2>&1", "r") else { return false }
    return pclose(pipe) == 0
}

@Suite(.serialized, .enabled(if: SmallDisk.isPossible, "needs root and loop devices"), .timeLimit(.minutes(10)))
struct DiskFaultTests {
    private func recorder(_ disk: SmallDisk, _ ring: FrameRing<VectorFrame>) throws -> any SampleRecorder {
        try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin,
            folder: RecordingFolder(disk.path + "/recordings"))
    }

    /// Seconds of samples, one drain after each.
    private func pass(_ seconds: Range<Int>, _ recorder: any SampleRecorder, _ ring: FrameRing<VectorFrame>) {
        for second in seconds {
            Example.fill(ring, samples: second * 100..<second * 100 + 100)
            _ = recorder.drain(at: MonotonicTime(seconds: Double(101 + second)), anchors: [Example.anchor])
        }
    }

    /// As the recorder's thread does it, with a journal.
    private func pass(
        _ seconds: Range<Int>, _ recorder: any SampleRecorder, _ ring: FrameRing<VectorFrame>,
        _ journal: RecordingJournal
    ) {
        for second in seconds {
            Example.fill(ring, samples: second * 100..<second * 100 + 100)
            _ = journal.drain(
                [recorder], at: MonotonicTime(seconds: Double(101 + second)), anchors: [Example.anchor])
        }
    }

    /// The journal has its room already.
    @Test func whatTheJournalHasOutlivesAFullDisk() throws {
        let disk = try #require(SmallDisk())
        let ring = Example.vectorRing()
        let recorder = try recorder(disk, ring)
        let journal = RecordingJournal(in: try RecordingFolder(disk.path + "/recordings"), capacity: 8 << 10)
        pass(0..<25, recorder, ring, journal)
        #expect(shell("dd if=/dev/zero of=\(disk.path)/ballast bs=4k; test -f \(disk.path)/ballast"))
        // A third entry does not fit, and the file cannot grow.
        pass(25..<50, recorder, ring, journal)
        guard recorder.fault?.code == ENOSPC else {
            Issue.record("the fault is \(String(describing: recorder.fault))")
            return
        }
        #expect(shell("rm \(disk.path)/ballast"))
        pass(50..<80, recorder, ring, journal)
        #expect(recorder.fault == nil)
        _ = recorder.stop(at: MonotonicTime(seconds: 181), anchors: [Example.anchor])
        journal.remove(after: [recorder])
        let first = try #require(try RecordingFolder(disk.path + "/recordings").sealed().recordings.first)
        // Synced after 1, 11 and 21 s, but for the open unit.
        #expect(first.description.samplesStored >= 2020 && !first.description.isRecovered)
        try expectWhole(disk, recorder, due: 8000)
        #expect(shell("test -z \"$(ls \(disk.path)/recordings | grep journal)\""))
    }

    /// Of a file that is open when the disk is full, the next start finds the rest in the journal.
    @Test func anEndOnAFullDiskLosesNothingOfTheJournal() throws {
        let disk = try #require(SmallDisk())
        let ring = Example.vectorRing()
        let recorder = try recorder(disk, ring)
        let journal = RecordingJournal(in: try RecordingFolder(disk.path + "/recordings"))
        pass(0..<25, recorder, ring, journal)
        #expect(shell("dd if=/dev/zero of=\(disk.path)/ballast bs=4k; test -f \(disk.path)/ballast"))
        pass(25..<60, recorder, ring, journal)
        #expect(recorder.fault == nil)
        #expect(recorder.stop(at: MonotonicTime(seconds: 161), anchors: [Example.anchor]).isEmpty)
        journal.remove(after: [recorder])
        #expect(shell("rm \(disk.path)/ballast"))
        let folder = try RecordingFolder(disk.path + "/recordings")
        let found = try folder.recover(bootID: "boot-b", zone: Example.berlin) { _ in [Example.anchor] }
        #expect(found.sealed.count == 1 && found.faults.isEmpty)
        let sealed = try #require(found.sealed.first)
        // The last sync was after 51 s; what came then was in memory alone, and the disk was full.
        #expect(sealed.description.samplesStored >= 5020)
        #expect(try FileInspector.problems(of: sealed.path) == [])
    }

    /// Everything is accounted for, and every file of the folder is good.
    private func expectWhole(_ disk: SmallDisk, _ recorder: any SampleRecorder, due: Int) throws {
        let counts = recorder.counts
        #expect(counts.due == due && counts.held == 0, "\(counts)")
        let folder = try RecordingFolder(disk.path + "/recordings")
        _ = try folder.recover(bootID: "boot-b", zone: Example.berlin) { _ in [Example.anchor] }
        let found = try folder.sealed()
        #expect(found.faults.isEmpty)
        for recording in found.recordings { #expect(try FileInspector.problems(of: recording.path) == []) }
        #expect(found.recordings.reduce(0) { $0 + $1.description.samplesStored } >= counts.stored)
    }

    /// It was begun while there was room, and its first write found none.
    @Test func aFileOfWhichNothingReachedTheDiskIsNone() throws {
        let disk = try #require(SmallDisk())
        let ring = Example.vectorRing()
        let recorder = try recorder(disk, ring)
        pass(0..<2, recorder, ring)
        #expect(shell("dd if=/dev/zero of=\(disk.path)/ballast bs=4k; test -f \(disk.path)/ballast"))
        pass(2..<40, recorder, ring)
        #expect(recorder.fault != nil)
        #expect(shell("rm \(disk.path)/ballast"))
        pass(40..<70, recorder, ring)
        _ = recorder.stop(at: MonotonicTime(seconds: 171), anchors: [Example.anchor])
        try expectWhole(disk, recorder, due: 7000)
        let found = try RecordingFolder(disk.path + "/recordings").sealed().recordings
        #expect(found.allSatisfy { $0.description.samplesStored > 0 })
    }

    @Test func aFullDiskIsAFaultUntilThereIsRoom() throws {
        let disk = try #require(SmallDisk())
        let ring = Example.vectorRing()
        let recorder = try recorder(disk, ring)
        pass(0..<5, recorder, ring)
        #expect(shell("dd if=/dev/zero of=\(disk.path)/ballast bs=4k; test -f \(disk.path)/ballast"))
        pass(5..<40, recorder, ring)
        guard recorder.fault?.code == ENOSPC else {
            Issue.record("the fault is \(String(describing: recorder.fault))")
            return
        }
        #expect(recorder.counts.lost[.writeError] ?? 0 > 0)
        #expect(shell("rm \(disk.path)/ballast"))
        let before = recorder.counts.stored
        pass(40..<70, recorder, ring)
        #expect(recorder.fault == nil && recorder.counts.stored > before + 1500)
        _ = recorder.stop(at: MonotonicTime(seconds: 171), anchors: [Example.anchor])
        try expectWhole(disk, recorder, due: 7000)
    }

    @Test(arguments: [EROFS, EIO]) func aBrokenFileSystemIsAFaultUntilItIsMended(code: CInt) throws {
        let disk = try #require(SmallDisk())
        let ring = Example.vectorRing()
        let recorder = try recorder(disk, ring)
        pass(0..<25, recorder, ring)
        #expect(code == EROFS ? disk.breakReadOnly() : disk.breakOff())
        pass(25..<50, recorder, ring)
        guard let found = recorder.fault?.code, found == code || found == EIO else {
            Issue.record("the fault is \(String(describing: recorder.fault))")
            return
        }
        #expect(disk.mend())
        pass(50..<80, recorder, ring)
        #expect(recorder.fault == nil)
        _ = recorder.stop(at: MonotonicTime(seconds: 181), anchors: [Example.anchor])
        // What was durable before the fault is there: 20 s of the first file.
        #expect(recorder.counts.stored >= 1920 + 1500)
        try expectWhole(disk, recorder, due: 8000)
    }

    @Test func aDiskThatStandsStillForTenSecondsCostsNothing() async throws {
        let disk = try #require(SmallDisk())
        let ring = Example.vectorRing(4096)
        let (begun, frozen) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        async let counts = stand(disk, ring, begun.continuation, frozen.stream)
        for await _ in begun.stream { break }
        let isFrozen = disk.freeze()
        frozen.continuation.yield()
        // The recorder hangs in a write while the sensor goes on for 20 s.
        Example.fill(ring, samples: 1200..<3200)
        disk.thaw()
        #expect(isFrozen)
        let result = try await counts
        #expect(result.totalLost - (result.lost[.notRunning] ?? 0) == 0 && ring.overruns == 0)
        #expect(result.due == 3200 && result.stored == 3200)
    }

    private func stand(
        _ disk: SmallDisk, _ ring: FrameRing<VectorFrame>, _ begun: AsyncStream<Void>.Continuation,
        _ frozen: AsyncStream<Void>
    ) async throws -> SampleCounts {
        let recorder = try recorder(disk, ring)
        Example.fill(ring, samples: 0..<1200)
        _ = recorder.drain(at: MonotonicTime(seconds: 101), anchors: [Example.anchor])
        begun.yield()
        for await _ in frozen { break }
        _ = recorder.drain(at: MonotonicTime(seconds: 112), anchors: [Example.anchor])
        _ = recorder.drain(at: MonotonicTime(seconds: 132), anchors: [Example.anchor])
        _ = recorder.stop(at: MonotonicTime(seconds: 133), anchors: [Example.anchor])
        return recorder.counts
    }
}
