// SPDX-License-Identifier: Apache-2.0
import Base
import CALSA
import CLinux

/// Opens a device and sets it up: parameters in the order the library wants, each chosen among
/// what the card has. `PCMStream` calls `open`, then `run`; the handle is the caller's to close.
struct PCMSetup {
    let pcm: OpaquePointer
    let direction: PCMStream.Direction
    let parameters: PCMParameters

    /// Opens without blocking: a card that another program has is EBUSY at once.
    static func open(_ direction: PCMStream.Direction, _ parameters: PCMParameters) throws(PCMError) -> OpaquePointer {
        calsa_be_quiet()  // libasound would print its errors to stderr, too
        var pcm: OpaquePointer?
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        let mode = CInt(SND_PCM_NONBLOCK)
        let result: CInt
        if let text = parameters.configuration {
            result = withConfiguration(text) { snd_pcm_open_lconf(&pcm, parameters.device, stream, mode, $0) }
        } else {
            result = snd_pcm_open(&pcm, parameters.device, stream, mode)
        }
        guard result >= 0, let pcm else {
            let what = direction == .capture ? "open for capture" : "open for playback"
            throw PCMError(code: result, operation: what, device: parameters.device)
        }
        return pcm
    }

    /// Sets all parameters; returns what the card took.
    func run() throws(PCMError) -> PCMLayout {
        let layout = try setHardware()
        try setSoftware(layout)
        return layout
    }

    /// Access, format, channels, rate, period, buffer.
    private func setHardware() throws(PCMError) -> PCMLayout {
        var allocated: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&allocated) == 0, let hardware = allocated else {
            throw error(ENOMEM, "allocate parameters")
        }
        defer { snd_pcm_hw_params_free(hardware) }
        var layout = PCMLayout(parameters)
        try check(snd_pcm_hw_params_any(pcm, hardware), "query its abilities")
        // What is recorded is never resampled by the library; a loudspeaker may be.
        if direction == .capture { _ = snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0) }
        try check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "interleave channels")
        layout.format = format(hardware)
        try check(snd_pcm_hw_params_set_format(pcm, hardware, layout.format.alsa), "set \(layout.format.rawValue)")
        layout.channels = channels(hardware)
        try check(
            snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(layout.channels)), "set \(layout.channels) channels")
        try setRate(hardware, &layout)
        try setSizes(hardware, &layout)
        try check(snd_pcm_hw_params(pcm, hardware), "apply the parameters")
        return layout
    }

    /// The format asked for, else the widest that the card has.
    private func format(_ hardware: OpaquePointer) -> PCMParameters.Format {
        let choices = [parameters.format, .s32, .s24, .s24Packed, .s16]
        return choices.first { snd_pcm_hw_params_test_format(pcm, hardware, $0.alsa) == 0 } ?? parameters.format
    }

    /// As many channels as asked for, else the next higher number that the card has.
    private func channels(_ hardware: OpaquePointer) -> Int {
        (parameters.channels...max(parameters.channels, 64)).first {
            snd_pcm_hw_params_test_channels(pcm, hardware, UInt32($0)) == 0
        } ?? parameters.channels
    }

    /// The rate asked for; else, to record, its least multiple that the card has (the recorded sound is then
    /// decimated), and to play, the nearest.
    private func setRate(_ hardware: OpaquePointer, _ layout: inout PCMLayout) throws(PCMError) {
        let wanted = parameters.rate
        if snd_pcm_hw_params_test_rate(pcm, hardware, UInt32(wanted), 0) != 0, direction == .capture {
            let multiple = (2...12).first { snd_pcm_hw_params_test_rate(pcm, hardware, UInt32(wanted * $0), 0) == 0 }
            layout.decimation = multiple ?? 1
        }
        var rate = UInt32(wanted * layout.decimation)
        try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), "set \(wanted) Hz")
        if direction == .capture, Int(rate) != wanted * layout.decimation {
            throw error(EINVAL, "set \(wanted) Hz, which the card does not support: the nearest is \(rate) Hz")
        }
        layout.rate = Int(rate)
    }

    private func setSizes(_ hardware: OpaquePointer, _ layout: inout PCMLayout) throws(PCMError) {
        var period = snd_pcm_uframes_t(max(1, layout.frames(in: parameters.period)))
        var buffer = snd_pcm_uframes_t(max(2, layout.frames(in: parameters.buffer)))
        try check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil), "set the period")
        try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "set the buffer")
        layout.period = Int(period)
        layout.buffer = Int(buffer)
    }

    /// Wake after a period, start with the first read (or the first period written), stamp by
    /// CLOCK_MONOTONIC.
    private func setSoftware(_ layout: PCMLayout) throws(PCMError) {
        var allocated: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&allocated) == 0, let software = allocated else {
            throw error(ENOMEM, "allocate parameters")
        }
        defer { snd_pcm_sw_params_free(software) }
        let period = snd_pcm_uframes_t(layout.period)
        try check(snd_pcm_sw_params_current(pcm, software), "query its settings")
        try check(snd_pcm_sw_params_set_avail_min(pcm, software, period), "set the wake-up threshold")
        try check(
            snd_pcm_sw_params_set_start_threshold(pcm, software, direction == .capture ? 1 : period),
            "set the start threshold")
        try check(snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE), "turn time stamps on")
        try check(
            snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC),
            "use the monotonic clock for time stamps")
        try check(snd_pcm_sw_params(pcm, software), "apply the settings")
    }

    private func check(_ result: CInt, _ operation: String) throws(PCMError) {
        if result < 0 { throw error(result, operation) }
    }

    private func error(_ code: CInt, _ operation: String) -> PCMError {
        PCMError(code: code, operation: operation, device: parameters.device)
    }
}

extension PCMParameters.Format {
    fileprivate var alsa: snd_pcm_format_t {
        switch self {
        case .s16: SND_PCM_FORMAT_S16_LE
        case .s24: SND_PCM_FORMAT_S24_LE
        case .s24Packed: SND_PCM_FORMAT_S24_3LE
        case .s32: SND_PCM_FORMAT_S32_LE
        }
    }
}

/// Parses configuration text of ALSA and frees it again after `body`. Returns what `body` does, or libasound's
/// negative error when the text cannot be parsed.
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
