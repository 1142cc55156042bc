// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The description of a file that is being written, or that a power cut ended, dates from the file's beginning;
/// what came since is read from the file itself: by `studyd recordings`, or at the next start.
extension RecordingDescription {
    /// What is in the file by now: so `show`, `list` and a copy of the file agree.
    mutating func update(
        from file: File, _ formats: RecordingFormats = .standard
    ) throws(FileError) {
        apply(try survey(file, formats))
    }

    /// Counts, gaps and the end of the file as it was found.
    mutating func apply(_ found: SegmentSurvey) {
        samplesStored = found.stored
        endUptime = startUptime + found.duration
        let drafted = startUptime
        if let first = found.firstUptime {
            setFirstSample(at: first)
            // What came before the first sample in the file is lost (the half second in which filters
            // settle), as the recorder counts it when it closes the file. Not so where the file was
            // resampled, for its first sample contains it, and where the beginning is damaged, which
            // `damagedSamples` counts.
            let unsettled = Int(((first - drafted) * nominalRate).rounded())
            if begunUptime != nil, resampled == nil, found.damagedSamples == 0 { lose(unsettled, .notRunning) }
        }
        // The gaps in the draft are among those found, which are added below.
        for gap in gaps { samplesLost[gap.reason, default: 0] -= gap.samples }
        (gaps, gapsOmitted) = (found.gaps, found.gapsOmitted)
        samplesLost = samplesLost.merging(found.lostInGaps, uniquingKeysWith: +).filter { $0.value > 0 }
        estimateSourceCounts()
        guard let start = startDate.flatMap(Instant.parsed) else { return }
        func date(_ uptime: Double) -> String {
            let distance = max(-1e9, min(1e9, uptime - drafted))
            return (start + .nanoseconds(Int64(distance * 1e9))).rfc3339(offset: offsetSeconds)
        }
        endDate = date(endUptime)
        for index in gaps.indices {
            gaps[index].startDate = date(gaps[index].startUptime)
            gaps[index].endDate = date(gaps[index].endUptime)
        }
        if found.firstUptime != nil { startDate = date(startUptime) }
    }

    /// Estimates the chip's counts of a resampled file from the file's own.
    private mutating func estimateSourceCounts() {
        guard let resampled, nominalRate > 0 else { return }
        let ratio = resampled.nominalRate / nominalRate
        func scaled(_ count: Int) -> Int { Int(min(1e15, (Double(count) * ratio).rounded())) }
        self.resampled?.samplesStored = scaled(samplesStored)
        self.resampled?.samplesLost = samplesLost.mapValues(scaled)
    }

    /// CLOCK_MONOTONIC in seconds of a wall time in a file of local times, which is `instant` if
    /// it is read as UTC.
    func uptime(ofLocal instant: Instant) -> Double {
        guard clock == .anchored, let start = startDate.flatMap(Instant.parsed) else {
            return (instant - RecordingTimes.uptimeEpoch).seconds
        }
        return startUptime + (instant - start).seconds - Double(offsetSeconds)
    }
}
