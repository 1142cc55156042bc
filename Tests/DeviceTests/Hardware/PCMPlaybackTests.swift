// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct PCMPlaybackTests {
    private func parameters(_ folder: ScratchFolder, channels: Int = 1) -> PCMParameters {
        PCMParameters(
            device: "speaker",
            configuration: ALSAConfiguration.filePlugin(name: "speaker", outfile: "\(folder.path)/out.raw"),
            rate: 8000, channels: channels, pacing: .byClock)
    }

    @Test(arguments: [1, 2]) func soundsAreWrittenOneAfterAnother(_ channels: Int) throws {
        let folder = try ScratchFolder()
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(parameters(folder, channels: channels), clock: KernelClock())
        let first = (0..<700).map { Int16($0 * 40) }
        let second = (0..<100).map { Int16(-$0 * 300) }
        player.play(samples: first, rate: 8000) { endings.add($0) }
        player.play(samples: second, rate: 8000) { endings.add($0) }
        #expect(endings.wait(for: 2) == [.played, .played])
        player.close()
        let expected = (first + second).flatMap { value in
            (0..<channels).flatMap { _ in withUnsafeBytes(of: value.littleEndian, Array.init) }
        }
        #expect(try contents("\(folder.path)/out.raw") == expected)
    }

    /// ALSA's file plugin takes all at once.
    @Test func aDeviceThatDoesNotPaceIsPacedByTheClock() throws {
        let folder = try ScratchFolder()
        let endings = try Collected<PCMPlayback.Ending>()
        let clock = KernelClock()
        let player = try PCMPlayback(parameters(folder), clock: clock)
        let start = clock.monotonic
        player.play(samples: [Int16](repeating: 9, count: 800), rate: 8000) { endings.add($0) }
        #expect(endings.wait(for: 1) == [.played])
        #expect(clock.monotonic - start >= .milliseconds(90))
        player.close()
    }

    @Test func stoppingEndsTheSoundAndForgetsTheQueue() throws {
        let folder = try ScratchFolder()
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(parameters(folder), clock: KernelClock())
        for _ in 0..<3 { player.play(samples: [Int16](repeating: 9, count: 800_000), rate: 8000) { endings.add($0) } }
        player.stop()
        #expect(endings.wait(for: 3) == [.stopped, .stopped, .stopped])
        player.play(samples: [1, 2, 3], rate: 8000) { endings.add($0) }
        #expect(endings.wait(for: 4).last == .played)
        player.close()
        player.play(samples: [1], rate: 8000) { endings.add($0) }
        #expect(endings.all.last == .stopped)
    }

    /// proc_pid_stat(5): a thread in state S sleeps until something happens.
    @Test func aPlayerWithNothingToPlaySleeps() throws {
        let folder = try ScratchFolder()
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(parameters(folder), clock: KernelClock(), name: "idle-player")
        player.play(samples: [1, 2, 3], rate: 8000) { endings.add($0) }
        #expect(endings.wait(for: 1) == [.played])
        try soon("that its thread sleeps") {
            (0..<20).allSatisfy { _ in threads.contains { $0.contains("(idle-player) S") } }
        }
        player.close()
    }

    /// The states of this process's threads.
    private var threads: [String] {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var states: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            if let state = try? contents("/proc/self/task/\(name)/stat") {
                states.append(String(decoding: state, as: UTF8.self))
            }
        }
        return states
    }

    @Test func aMissingDeviceFailsTheSoundOnly() throws {
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(
            PCMParameters(device: "none", configuration: "pcm.null { type null }", rate: 8000), clock: KernelClock())
        player.play(samples: [1], rate: 8000) { endings.add($0) }
        guard case .failed(let error)? = endings.wait(for: 1).first else { return #expect(Bool(false)) }
        #expect(error.device == "none")
        player.close()
    }

    @Test func aHardwarePacedDevicePlaysToItsEnd() throws {
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(
            PCMParameters(device: "null", configuration: "pcm.null { type null }", rate: 8000), clock: KernelClock())
        player.play(samples: [Int16](repeating: 1, count: 5000), rate: 8000) { endings.add($0) }
        #expect(endings.wait(for: 1) == [.played])
        player.close()
    }
}
