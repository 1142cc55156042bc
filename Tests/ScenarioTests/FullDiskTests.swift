// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// A disk that is small, and that minutes of measuring do not fill, fills up and has room again.
@Suite struct FullDiskTests {
    @Test(.timeLimit(.minutes(20))) func faultIsReportedAndPasses() async throws {
        guard let disk = try SmallDisk(megabytes: 64) else {
            print("SKIPPED faultIsReportedAndPasses: a tmpfs can be mounted by root only")
            return
        }
        defer { disk.unmount() }
        try await Stage.with(state: disk.path + "/state") { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: receiver.address + "/files", measures: ["accelerometer", "magnetometer"])
            // More than are answered while the disk is full, however long that takes.
            try stage.board(.init(wishes: Array(repeating: "pain", count: 600)))
            #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
            let agent = try await stage.agent()
            try await eventually("something is submitted") { try await stage.submissions() > 0 }

            // Again and again: what the agent gives free, such as recordings that have arrived, is taken too.
            try await eventually("the full disk is reported") {
                try disk.fill()
                return try await !stage.status()["faults"].list.isEmpty
            }
            #expect(agent.end == nil)
            let before = try await stage.submissions()
            disk.empty()
            var last = try await stage.status()
            try await eventually(
                "the fault passes and submissions go on: \(last["faults"]), \(Stage.submissions(last)) after \(before)"
            ) {
                last = try await stage.status()
                return last["faults"].list.isEmpty && Stage.submissions(last) > before
            }
            try stage.board()
            try await eventually("a file is sealed and arrives afterwards") {
                try await !receiver.files().isEmpty
            }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }
}

/// A separate file system, and a file that fills it.
private final class SmallDisk: Sendable {
    let path: String

    /// nil where it may not be mounted.
    init?(megabytes: Int) throws {
        path = try Files.temporaryFolder("studyd-disk")
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            rmdir(path)
            return nil
        }
    }

    /// Takes all the room there is.
    func fill() throws {
        let descriptor = open(path + "/ballast", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Complaint("no ballast: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        guard errno == ENOSPC else { throw Complaint("the disk is not full: \(String(cString: strerror(errno)))") }
    }

    func empty() { unlink(path + "/ballast") }

    func unmount() {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}
