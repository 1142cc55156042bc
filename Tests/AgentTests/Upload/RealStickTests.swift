// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

/// Sticks whose file systems are not ours: an image of a few megabytes, formatted and mounted by
/// Debian's programs, pulled out by the kernel, and looked at afterwards by other readers. Needs root.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RealStickTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case vfat, exfat, ext4
        var testDescription: String { rawValue }

        /// Of the image at `$IMAGE` at the folder `$PLACE`; exFAT by FUSE where the kernel has no driver.
        var mount: String {
            switch self {
            case .vfat: "mount -o loop,umask=077 $IMAGE $PLACE"
            case .exfat:
                "mount -o loop,umask=077 $IMAGE $PLACE 2>/dev/null || "
                    + "{ LOOP=$(losetup -f --show $IMAGE) && mount.exfat-fuse $LOOP $PLACE 2>/dev/null; C=$?; losetup -d $LOOP; exit $C; }"
            case .ext4: "mount -o loop $IMAGE $PLACE"
            }
        }

        /// What an independent reader finds wrong with it ends with another code than 0.
        var check: String {
            switch self {
            case .vfat: "fsck.vfat -n $IMAGE"
            case .exfat: "fsck.exfat -n $IMAGE"
            case .ext4: "fsck.ext4 -fn $IMAGE"
            }
        }
    }

    private final class Stick {
        let folder: String
        let place: String
        let own: String
        let kind: Kind
        private var image: String

        init(_ kind: Kind) throws {
            folder = try UploadFixture.folder()
            (place, own, image, self.kind) = (folder + "/media", folder + "/own", folder + "/image", kind)
            for path in [place, own] { try File.makeFolder(path) }
            try #require(run("truncate -s 12M $IMAGE && mkfs.\(kind.rawValue) $IMAGE") == 0)
        }

        deinit {
            _ = run("umount -l $PLACE")
            try? FileManager.default.removeItem(atPath: folder)
        }

        @discardableResult func run(_ command: String) -> CInt {
            system("IMAGE='\(image)' PLACE='\(place)'; { \(command); } >'\(folder)/said' 2>&1") >> 8
        }

        var said: String { (try? BoundedFile.text(folder + "/said")) ?? "" }

        /// Again where the driver of before has not let go of the image yet.
        func plugIn() -> Bool {
            run("for i in 1 2 3 4 5; do ( \(kind.mount) ) && mountpoint -q $PLACE && exit 0; sleep 0.2; done; exit 1")
                == 0
        }

        /// The kernel takes it away at once, whoever has something open on it.
        func pull() { run("umount -l $PLACE") }

        /// Everything is written, and the image can be looked at.
        func unmount() { run("for i in 1 2 3 4 5 6 7 8 9; do umount $PLACE && break; sleep 0.2; done") }

        /// What is on the medium at this moment without what is only in memory: as if it had been
        /// pulled out now.
        func replaceByWhatIsOnIt() {
            run("cp $IMAGE $IMAGE.now")
            pull()
            image += ".now"
        }
    }

    private static func canMount(_ kind: Kind) -> Bool {
        guard geteuid() == 0, let stick = try? Stick(kind), stick.plugIn() else {
            print(
                "SKIPPED: no \(kind.rawValue) can be mounted here: it needs root, loop devices, the kernel's driver (for exFAT"
            )
            print("SKIPPED: that of exfat-fuse is enough), and the packages dosfstools and exfatprogs")
            return false
        }
        return true
    }
    private static let kinds = Kind.allCases.filter(canMount)

    private func destination(_ stick: Stick) throws -> DirectoryDestination {
        try DirectoryDestination(
            DestinationSettings(name: "stick", takes: .both, values: ["path": .text(stick.place)]))
    }

    private func job(_ name: String, bytes: Int, _ stick: Stick) throws -> DeliveryJob {
        let draft = try UploadFixture.file(name, bytes: bytes, in: stick.own)
        guard case .file(var file) = draft.content else { throw UnusablePayload(reason: "no file") }
        file.metadata = [:]
        let queued = QueuedItem(
            id: name, origin: draft.origin, itemClass: draft.itemClass, destination: "stick", requestDigest: nil,
            bytes: 1, file: file)
        return DeliveryJob(
            item: OutboxItem(
                item: queued, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: .file(file), directory: stick.own, location: nil, offset: nil,
            chunk: 262_144, owner: ["study": "s", "participant": "P 1"])
    }

    /// To its end, or to the step at which `stop` says so.
    private func send(
        _ job: inout DeliveryJob, _ stick: Stick, until stop: (Int64) -> Bool = { _ in false }
    ) throws -> String {
        let (destination, client) = (try destination(stick), try HTTPClient(userAgent: "t"))
        for _ in 0..<400 {
            switch try destination.send(job, by: client) {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(let offset): job.offset = offset
            case .finished(.delivered(let receipt)): return "delivered \(receipt)"
            case .finished(.retry(let reason)): return "retry \(reason)"
            case let other: return "\(other)"
            }
            if let offset = job.offset, stop(offset) { return "stopped" }
        }
        return "no end"
    }

    private static let folder = "s/P%201/e1/"

    /// As another program reads it from the medium.
    private func isOnIt(_ name: String, _ stick: Stick) throws -> Bool {
        stick.unmount()
        #expect(stick.run(stick.kind.check) == 0, "\(stick.said)")
        if stick.kind == .vfat {
            stick.run("mcopy -n -i $IMAGE '::/\(Self.folder)\(name)' '\(stick.folder)/read'")
        } else {
            try #require(stick.plugIn())
            stick.run("cp '\(stick.place)/\(Self.folder)\(name)' '\(stick.folder)/read'")
        }
        return stick.run("cmp '\(stick.own)/\(name)' '\(stick.folder)/read'") == 0
    }

    @Test(arguments: kinds) func whatWasReceiptedIsOnTheMedium(kind: Kind) throws {
        let stick = try Stick(kind)
        #expect(try !destination(stick).medium.isThere, "the card's own folder")
        try #require(stick.plugIn())
        #expect(try destination(stick).medium.isThere)
        var job = try job("000001-accelerometer.cwa", bytes: 1_000_001, stick)
        let end = try send(&job, stick)
        #expect(end.hasPrefix("delivered") && end.hasSuffix("read back"), "\(end)")
        #expect(try isOnIt("000001-accelerometer.cwa", stick))
    }

    /// A stick is pulled out without being unmounted.
    @Test(arguments: kinds) func whatWasReceiptedIsOnTheMediumThoughItIsPulledOutAtOnce(kind: Kind) throws {
        let stick = try Stick(kind)
        try #require(stick.plugIn())
        var job = try job("000001-accelerometer.cwa", bytes: 1_000_001, stick)
        #expect(try send(&job, stick).hasPrefix("delivered"))
        stick.replaceByWhatIsOnIt()
        stick.run(kind.check.replacingOccurrences(of: "-n", with: "-y").replacingOccurrences(of: "-fn", with: "-fy"))
        #expect(try isOnIt("000001-accelerometer.cwa", stick))
    }

    /// Full from the beginning, and by somebody else while it is written.
    @Test(arguments: kinds) func aFullStickLosesNothingAndGoesOnWhenThereIsRoom(kind: Kind) throws {
        let stick = try Stick(kind)
        try #require(stick.plugIn())
        var large = try job("000001-sound.flac", bytes: 20_000_000, stick)
        #expect(try send(&large, stick).contains("the stick is full; copy what is on it"))
        var job = try job("000002-sound.flac", bytes: 3_000_000, stick)
        #expect(try send(&job, stick) { $0 > 0 } == "stopped")
        stick.run("dd if=/dev/zero of=$PLACE/filler bs=64k")
        let end = try send(&job, stick)
        #expect(end.contains("the stick is full"), "\(end)")
        stick.run("rm $PLACE/filler")
        let rest = try send(&job, stick)
        #expect(rest.hasPrefix("delivered"), "\(rest)")
        #expect(try isOnIt("000002-sound.flac", stick))
    }

    /// Pulled out in mid-copy, and plugged in again: with all that the kernel still wrote, or with what
    /// was on it at that moment.
    @Test(arguments: kinds, [true, false]) func pulledOutInMidCopyItIsGoneOnWith(kind: Kind, isWritten: Bool) throws {
        let stick = try Stick(kind)
        try #require(stick.plugIn())
        var job = try job("000001-sound.flac", bytes: 4_000_000, stick)
        #expect(try send(&job, stick) { $0 > 1_000_000 } == "stopped")
        if isWritten { stick.pull() } else { stick.replaceByWhatIsOnIt() }
        let gone = try send(&job, stick)
        #expect(gone.contains("nothing is mounted there; plug in the stick"), "\(gone)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stick.place) == [], "the card's own folder")
        #expect(try !destination(stick).medium.isThere)
        if !isWritten {
            stick.run(
                kind.check.replacingOccurrences(of: "-n", with: "-y").replacingOccurrences(of: "-fn", with: "-fy"))
        }
        try #require(stick.plugIn(), "\(stick.said)")
        job.offset = nil
        var end = try send(&job, stick)
        // What was not written yet reads as something else, which only reading back finds.
        if end.contains("what was read back is not what was written") { end = try send(&job, stick) }
        #expect(end.hasPrefix("delivered"), "\(end)")
        #expect(try isOnIt("000001-sound.flac", stick))
    }

    @Test(arguments: kinds.filter { $0 == .ext4 }) func aStickThatTurnedReadOnlySaysSo(kind: Kind) throws {
        let stick = try Stick(kind)
        try #require(stick.plugIn())
        stick.run("mount -o remount,ro $PLACE")
        var job = try job("000001-x.cwa", bytes: 10, stick)
        let end = try send(&job, stick)
        #expect(end.contains("the stick is read-only; open its lock"), "\(end)")
    }

    /// The light and the sound that say so follow what the kernel has mounted.
    @Test(arguments: kinds) func itMayBePulledOutOnceAllIsOnIt(kind: Kind) throws {
        let stick = try Stick(kind)
        var state = StickState()
        let medium = try destination(stick).medium
        #expect(state.update(isThere: medium.isThere, waits: true) == [])
        try #require(stick.plugIn())
        #expect(state.update(isThere: medium.isThere, waits: true) == [.pluggedIn])
        var job = try job("000001-x.cwa", bytes: 100_000, stick)
        #expect(try send(&job, stick).hasPrefix("delivered"))
        #expect(state.update(isThere: medium.isThere, waits: false) == [.removable(true, isNews: true)])
        stick.pull()
        #expect(state.update(isThere: medium.isThere, waits: false) == [.removable(false, isNews: false)])
    }
}

/// The lines of docs/operating.md, read by the programs that they are for.
@Suite struct StickMountTests {
    private static let page = (try? BoundedFile.text(AgentFixture.package + "/docs/operating.md")) ?? ""

    private static func line(_ beginning: String) throws -> String {
        String(try #require(page.split(separator: "\n").first { $0.hasPrefix(beginning) }))
    }

    @Test func theLineOfFstabIsOne() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Other tests have sticks of that label at the same time.
        let line = try Self.line("LABEL=STUDYD").replacing("LABEL=STUDYD", with: "LABEL=NONE-OF-THESE")
        try AtomicFile.write(Array("\(line)\n".utf8), to: folder + "/fstab")
        let status = system("cd \(folder) && findmnt --verify --tab-file fstab >said 2>&1")
        let said = try BoundedFile.text(folder + "/said")
        #expect(status == 0 && said.contains("0 parse errors, 0 errors"), "\(said)")
    }

    /// systemd's udev, asked what it would do with such a stick; its own rules are read, and its data
    /// are kept out of the way.
    @Test func theRuleStartsTheMountOfThatStickAlone() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard geteuid() == 0, system("{ command -v udevadm && command -v mkfs.exfat; } >/dev/null") == 0,
            system("losetup -f >/dev/null 2>&1") == 0
        else { return print("SKIPPED: the rule of the stick needs root, loop devices, udev and exfatprogs") }
        try AtomicFile.write(Array((try Self.line("ACTION==") + "\n").utf8), to: folder + "/70-studyd-stick.rules")
        for (label, isOurs) in [("STUDYD", true), ("HOLIDAYS", false)] {
            let script = """
                cd \(folder) && truncate -s 8M image && mkfs.exfat -L \(label) image >/dev/null && LOOP=$(losetup -f --show image) \
                && unshare -m sh -c 'mkdir -p /etc/udev/rules.d /run/udev /dev/disk /dev/block; for i in /etc/udev/rules.d /run/udev \
                /dev/disk /dev/block; do mount -t tmpfs t $i; done; cp 70-studyd-stick.rules /etc/udev/rules.d/; \
                udevadm test -a add /sys/block/'${LOOP#/dev/}' >said 2>&1'; losetup -d $LOOP
                """
            #expect(system(script) == 0)
            let said = try BoundedFile.text(folder + "/said")
            #expect(said.contains("ID_FS_LABEL=\(label)"), "\(said.suffix(2000))")
            #expect(said.contains("SYSTEMD_WANTS=media-studyd.mount") == isOurs, "\(said.suffix(2000))")
            #expect(!said.contains("70-studyd-stick.rules:1 "), "\(said.suffix(2000))")
        }
    }
}
