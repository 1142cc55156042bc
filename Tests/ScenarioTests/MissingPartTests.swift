// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Synchronization
import Testing

/// A board without its parts: what a forgotten `dtparam=i2c_arm=on` leaves, or a light that came
/// off.
@Suite struct MissingPartTests {
    /// Debian's kernel makes no /dev/i2c-N without the parameter (raspberrypi documentation,
    /// config.txt), so the file named here is not there.
    @Test(.timeLimit(.minutes(20))) func withoutItsBusTheAgentPromptsRecordsTheRestAndShowsTheFault() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer", "position"])
            try stage.board(.init(wishes: ["pain"]))
            try replace(
                stage, "[[bus]]\nname = \"motion\"\ndevice = \"simulated\"",
                "[[bus]]\nname = \"motion\"\ndevice = \"/dev/i2c-77\"")
            try replace(
                stage, "[[light]]\nname = \"status\"\ndevice = \"simulated\"",
                "[[light]]\nname = \"status\"\ndevice = \"\(stage.folder)/leds/status\"")
            let receiver = try await LabReceiver(stage)
            try receiver.serve([
                LabStudy.always("pain", question: "level"),
                LabStudy.soon("moment", minutes: 5, questions: [LabStudy.yesNo("alone")]),
            ])
            #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
            let notes = try NotifySocket(stage.folder + "/notify")
            let agent = try stage.start([
                "/usr/bin/env", "NOTIFY_SOCKET=\(notes.path)", "WATCHDOG_USEC=3000000", Programs.tools, "run",
                "--config", stage.folder + "/studyd.toml",
            ])
            try await eventually("it is ready; it said: \(agent.errors)") { notes.heard("READY=1") }
            let faults = try await eventually("both parts are missed") {
                let faults = try await stage.status()["faults"].list.map(\.text)
                return faults.count >= 3 ? faults : nil
            }
            for says in [
                [
                    "board.toml:\(line(of: "[[bus]]", stage))", "bus[0]", "/dev/i2c-77", "No such file",
                    "dtparam=i2c_arm=on",
                ],
                ["board.toml:\(line(of: "[[light]]", stage))", "light[0]", "leds/status", "No such file"],
                ["chip[0]", "LIS3DH", "was not found"],
            ] {
                #expect(faults.contains { fault in says.allSatisfy { fault.contains($0) } }, "\(says): \(faults)")
            }
            try await eventually("a task is done and a prompt is answered") {
                try await stage.status()["ledger"]["occurrences"]["completed"].int > 0
            }
            try await eventually("the position is recorded, the missing samples are counted, the watchdog is fed") {
                let status = try await stage.status()
                let motion = status["measures"].list.first { $0["channel"].text == "accelerometer" } ?? .null
                let position = status["measures"].list.first { $0["channel"].text == "position" } ?? .null
                return position["stored"].int > 0 && motion["stored"].int == 0 && motion["lost"].int > 0
                    && notes.heard("WATCHDOG=1")
            }
            #expect(agent.end == nil)

            // The light comes back.
            mkdir(stage.folder + "/leds", 0o755)
            mkdir(stage.folder + "/leds/status", 0o755)
            try Files.write("255\n", to: stage.folder + "/leds/status/max_brightness")
            try Files.write("7\n", to: stage.folder + "/leds/status/brightness")
            try await eventually("the light is found without a restart") {
                let status = try await stage.status()
                return !status["faults"].list.contains { $0.text.contains("light[0]") }
            }
            let missed = try await stage.status()["partsMissed"]
            #expect(
                missed["\(stage.folder)/board.toml:\(line(of: "[[light]]", stage)): light[0]"].int == 1, "\(missed)")
            #expect(agent.errors.contains("works again"))
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    private func replace(_ stage: Stage, _ old: String, _ new: String) throws {
        let text = Files.text(stage.folder + "/board.toml")
        let place = try #require(text.firstRange(of: old))
        try Files.write(text.replacingCharacters(in: place, with: new), to: stage.folder + "/board.toml")
    }

    private func line(of text: String, _ stage: Stage) -> Int {
        let board = Files.text(stage.folder + "/board.toml")
        guard let start = board.firstRange(of: text)?.lowerBound else { return -1 }
        return board[..<start].count { $0 == "\n" } + 1
    }
}

/// The datagram socket of a service's manager (sd_notify(3)).
final class NotifySocket: Sendable {
    let path: String
    private let descriptor: CInt
    private let words = Mutex<[String]>([])

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound else { throw Complaint("\(path): cannot listen") }
    }

    deinit { close(descriptor) }

    /// True once that was said.
    func heard(_ word: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1024)
        while case let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)), count > 0 {
            let word = String(decoding: bytes[..<count], as: UTF8.self)
            words.withLock { $0.append(word) }
        }
        return words.withLock { $0.contains(word) }
    }
}
