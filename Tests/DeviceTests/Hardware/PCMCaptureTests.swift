// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Glibc
import Testing

@testable import Device

/// Records until `frames` frames are there.
private func record(_ parameters: PCMParameters, frames: Int) throws -> (samples: [Int16], blocks: [SoundFrame]) {
    let ring = FrameRing(capacity: 1024, repeating: SoundFrame(time: .zero))
    let capture = try PCMCapture(parameters, ring: ring, clock: KernelClock())
    defer { capture.stop() }
    var samples: [Int16] = []
    var blocks: [SoundFrame] = []
    while samples.count < frames {
        let block = try soon("\(frames) frames") { ring.pop() }
        blocks.append(block)
        samples += (0..<Int(block.count)).map { block.samples[$0] }
    }
    return (samples, blocks)
}

@Suite(.timeLimit(.minutes(10))) struct PCMCaptureTests {
    @Test(arguments: [(1, 0, PCMParameters.Format.s16), (2, 1, .s16), (2, 0, .s32)])
    func theSamplesOfAFileComeBackUnchanged(_ channels: Int, _ channel: Int, _ format: PCMParameters.Format) throws {
        let folder = try ScratchFolder()
        let sound = ramp(8000)
        let frames = sound.flatMap { value in (0..<channels).map { $0 == channel ? value : 1 } }
        let raw = format == .s16 ? bytes(frames) : bytes(frames.map { Int32($0) << 16 | 0x1234 })
        let parameters = PCMParameters(
            device: "mic",
            configuration: ALSAConfiguration.filePlugin(name: "mic", infile: try folder.file("in.raw", raw)),
            rate: 48_000, channels: channels, channel: channel, format: format, period: .milliseconds(10),
            pacing: .byClock)
        let (samples, blocks) = try record(parameters, frames: 8000)
        #expect(Array(samples.prefix(8000)) == sound)
        #expect(blocks.allSatisfy { $0.lostBefore == 0 })
        var expected = blocks[0].time
        for block in blocks {
            #expect(abs((block.time - expected).nanoseconds) <= 1)
            expected = block.time + parameters.time(of: Int(block.count))
        }
    }

    @Test func aDeviceThatComesLateIsRecordedAndTheTimeWithoutItIsAGap() throws {
        let folder = try ScratchFolder()
        let parameters = PCMParameters(
            device: "mic", configuration: ALSAConfiguration.filePlugin(name: "mic", infile: folder.path + "/late.raw"),
            rate: 16_000, period: .milliseconds(10), pacing: .byClock)
        let ring = FrameRing(capacity: 4096, repeating: SoundFrame(time: .zero))
        let clock = KernelClock()
        let start = clock.monotonic
        let capture = try PCMCapture(parameters, ring: ring, clock: clock, isAwaited: true)
        defer { capture.stop() }
        #expect(capture.counters.isAwaited && capture.counters.fault?.description.contains("mic") == true)
        _ = try folder.file("late.raw", bytes(ramp(16_000)))
        let block = try soon("the first frame") { ring.pop() }
        #expect(!capture.counters.isAwaited && block.reason == LossReason.notRunning.rawValue)
        #expect(abs(Double(block.lostBefore) - (block.time - start).seconds * 16_000) < 1600)
        #expect(#expect(throws: PCMError.self) { try PCMCapture(missing, ring: ring, clock: clock) } != nil)
    }

    private var missing: PCMParameters {
        PCMParameters(device: "mic", configuration: ALSAConfiguration.filePlugin(name: "other"), rate: 16_000)
    }

    @Test func theNullDeviceIsSilenceWithoutPacing() throws {
        let parameters = PCMParameters(
            device: "null", configuration: "pcm.null { type null }", rate: 16_000, period: .milliseconds(10))
        #expect(try record(parameters, frames: 4000).samples.allSatisfy { $0 == 0 })
    }

    @Test func aMissingDeviceIsNamedWithARemedy() {
        let parameters = PCMParameters(
            device: "mic", configuration: ALSAConfiguration.filePlugin(name: "other"), rate: 16_000)
        let error = #expect(throws: PCMError.self) { try PCMCapture.check(parameters) }
        #expect(error?.description.contains("mic") == true && error?.description.contains("arecord -L") == true)
    }

    @Test(arguments: [
        (EAGAIN, PCMError.Recovery.retry), (EINTR, .retry), (EPIPE, .prepare), (ESTRPIPE, .resume), (ENODEV, .reopen),
        (EBADFD, .reopen), (EIO, .reopen),
    ]) func everyErrorHasItsRecovery(_ code: CInt, _ recovery: PCMError.Recovery) {
        #expect(PCMError.recovery(from: Int(-code)) == recovery)
    }
}
