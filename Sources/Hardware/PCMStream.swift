// SPDX-License-Identifier: Apache-2.0
import CALSA
import CLinux
import Times

/// An open stream of libasound, set up and ready. Lives on one thread alone and is closed with this object.
final class PCMStream {
    enum Direction { case capture, playback }

    let parameters: PCMParameters
    /// What the device gave for the period and buffer asked for, in frames.
    private(set) var periodFrames = 0
    private(set) var bufferFrames = 0
    private let pcm: OpaquePointer

    init(_ direction: Direction, _ parameters: PCMParameters) throws(PCMError) {
        if let flaw = parameters.flaw {
            throw PCMError(code: EINVAL, operation: flaw, device: parameters.device)
        }
        self.parameters = parameters
        pcm = try openPCM(direction, parameters)
        try setHardware()
        try setSoftware(direction)
    }

    deinit { snd_pcm_close(pcm) }

    /// Waits until frames can be moved: 1 ready, 0 not in time, negative an error.
    func wait(atMost patience: Duration) -> Int { Int(snd_pcm_wait(pcm, CInt(clamping: patience.milliseconds))) }

    /// Reads at most `frames` interleaved frames; how many, or libasound's negative error.
    func read(into buffer: UnsafeMutableRawBufferPointer, frames: Int) -> Int {
        snd_pcm_readi(pcm, buffer.baseAddress, snd_pcm_uframes_t(frames))
    }

    /// Writes at most `frames` interleaved frames; how many, or libasound's negative error.
    func write(_ buffer: UnsafeRawBufferPointer, frames: Int) -> Int {
        snd_pcm_writei(pcm, buffer.baseAddress, snd_pcm_uframes_t(frames))
    }

    /// CLOCK_MONOTONIC of the next frame to be read: the card's stamp less what already waits. Nil where the card has
    /// not stamped yet.
    func timeOfNextFrame() -> MonotonicTime? {
        var available = snd_pcm_uframes_t(0)
        var stamp = snd_htimestamp_t()
        guard snd_pcm_htimestamp(pcm, &available, &stamp) == 0, stamp.tv_sec != 0 || stamp.tv_nsec != 0 else {
            return nil
        }
        let time = MonotonicTime(nanoseconds: Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec))
        return time - parameters.time(of: Int(available))
    }

    /// Applies a cure; false when only opening again helps.
    func apply(_ cure: PCMError.Cure) -> Bool {
        switch cure {
        case .retry: true
        case .prepare: snd_pcm_prepare(pcm) == 0
        case .resume: snd_pcm_resume(pcm) == 0 || snd_pcm_prepare(pcm) == 0
        case .reopen: false
        }
    }

    func start() { snd_pcm_start(pcm) }
    func prepare() { snd_pcm_prepare(pcm) }
    /// Throws away what has not sounded yet.
    func drop() { snd_pcm_drop(pcm) }
    /// Frames that were written and have not sounded yet.
    var delay: Int {
        var frames: snd_pcm_sframes_t = 0
        return snd_pcm_delay(pcm, &frames) == 0 ? max(0, frames) : 0
    }

    /// In the order the library wants: access, format, channels, rate, period, buffer.
    private func setHardware() throws(PCMError) {
        var allocated: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&allocated) == 0, let hardware = allocated else {
            throw error(ENOMEM, "allocate parameters")
        }
        defer { snd_pcm_hw_params_free(hardware) }
        var rate = UInt32(parameters.rate)
        var period = snd_pcm_uframes_t(max(1, parameters.frames(in: parameters.period)))
        var buffer = snd_pcm_uframes_t(max(2, parameters.frames(in: parameters.buffer)))
        try check(snd_pcm_hw_params_any(pcm, hardware), "ask what it can do")
        try check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "interleave channels")
        try check(snd_pcm_hw_params_set_format(pcm, hardware, format), "set \(parameters.format)")
        try check(
            snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(parameters.channels)),
            "set \(parameters.channels) channels")
        try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), "set \(parameters.rate) Hz")
        guard rate == UInt32(parameters.rate) else {
            throw error(EINVAL, "set \(parameters.rate) Hz, where it has \(rate) Hz")
        }
        try check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil), "set the period")
        try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "set the buffer")
        try check(snd_pcm_hw_params(pcm, hardware), "take the parameters")
        periodFrames = Int(period)
        bufferFrames = Int(buffer)
    }

    private func setSoftware(_ direction: Direction) throws(PCMError) {
        var allocated: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&allocated) == 0, let software = allocated else {
            throw error(ENOMEM, "allocate parameters")
        }
        defer { snd_pcm_sw_params_free(software) }
        let period = snd_pcm_uframes_t(periodFrames)
        try check(snd_pcm_sw_params_current(pcm, software), "ask for its settings")
        try check(snd_pcm_sw_params_set_avail_min(pcm, software, period), "set when it wakes us")
        try check(
            snd_pcm_sw_params_set_start_threshold(pcm, software, direction == .capture ? 1 : period),
            "set when it starts")
        try check(snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE), "turn time stamps on")
        try check(
            snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC),
            "stamp by the monotonic clock")
        try check(snd_pcm_sw_params(pcm, software), "take the settings")
    }

    private var format: snd_pcm_format_t {
        switch parameters.format {
        case .s16: SND_PCM_FORMAT_S16_LE
        case .s24: SND_PCM_FORMAT_S24_LE
        case .s24Packed: SND_PCM_FORMAT_S24_3LE
        case .s32: SND_PCM_FORMAT_S32_LE
        }
    }

    private func check(_ result: CInt, _ operation: String) throws(PCMError) {
        if result < 0 { throw error(result, operation) }
    }

    private func error(_ code: CInt, _ operation: String) -> PCMError {
        PCMError(code: code, operation: operation, device: parameters.device)
    }
}

private func openPCM(
    _ direction: PCMStream.Direction, _ parameters: PCMParameters
) throws(PCMError) -> OpaquePointer {
    calsa_be_quiet()
    var pcm: OpaquePointer?
    let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
    let result: CInt
    if let text = parameters.configuration {
        result = withConfiguration(text) { snd_pcm_open_lconf(&pcm, parameters.device, stream, 0, $0) }
    } else {
        result = snd_pcm_open(&pcm, parameters.device, stream, 0)
    }
    guard result >= 0, let pcm else {
        let what = direction == .capture ? "open for capture" : "open for playback"
        throw PCMError(code: result, operation: what, device: parameters.device)
    }
    return pcm
}

/// Reads configuration text for the duration of a call; libasound's error number when it cannot be read.
private func withConfiguration(_ text: String, _ body: (OpaquePointer) -> CInt) -> CInt {
    var top: OpaquePointer?
    let made = snd_config_top(&top)
    guard made >= 0, let top else { return made }
    defer { snd_config_delete(top) }
    var input: OpaquePointer?
    let opened = snd_input_buffer_open(&input, text, text.utf8.count)
    guard opened >= 0, let input else { return opened }
    defer { snd_input_close(input) }
    let loaded = snd_config_load(top, input)
    return loaded < 0 ? loaded : body(top)
}
