// SPDX-License-Identifier: Apache-2.0
import Base

/// Whether a description can be true by itself, and whether it is that of the file beside it. `init` checks
/// everything; the content is compared only once the recording is sealed. `FileInspector` makes one.
struct DescriptionCheck {
    private let description: RecordingDescription
    /// What the file says; nil where it is encrypted.
    private let content: ContentCheck?
    private(set) var problems: [String] = []

    init(_ description: RecordingDescription, of content: ContentCheck?, name: String, bytes: Int) {
        (self.description, self.content) = (description, content)
        compareNames(name, bytes)
        checkTimes()
        checkGaps()
        guard description.state == .sealed, let content else { return }
        compareCounts(content)
        compareEnds(content)
        problems += content.differences
    }

    private mutating func expect(_ isRight: Bool, _ problem: String) {
        if !isRight { problems.append(problem) }
    }

    private mutating func compareNames(_ name: String, _ bytes: Int) {
        let expected = description.state == .sealed ? description.relativePath : description.partialName
        expect(expected == name, "the description belongs to \(expected)")
        expect(RecordingName(name) == description.name, "the description belongs to recording \(description.number)")
        if description.state == .sealed {
            expect(description.bytes == bytes, "\(bytes) bytes instead of the described \(description.bytes)")
        }
    }

    private mutating func checkTimes() {
        let length = description.endUptime - description.startUptime
        expect(length >= 0, "the description ends before it begins")
        if let rate = description.measuredRate {
            expect(abs(rate / max(description.nominalRate, 1e-3) - 1) < 0.25, "the measured rate is impossible")
        }
        guard description.clock == .anchored else {
            return expect(description.startDate == nil, "the description has a time though its clock is not known")
        }
        guard let start = description.startDate.flatMap(Instant.parsed),
            let end = description.endDate.flatMap(Instant.parsed)
        else { return problems.append("the description has no start or no end") }
        let tolerance = 1 + 1e-3 * abs(length)
        expect(abs((end - start).seconds - length) <= tolerance, "the description's dates contradict its uptimes")
        let isAnchored = description.anchors.contains { anchor in
            guard let time = Instant.parsed(anchor.time) else { return false }
            let distance = description.startUptime - anchor.uptime
            return abs((start - time).seconds - distance) <= 1 + 1e-3 * abs(distance)
        }
        expect(isAnchored, "no anchor of the description matches its start")
    }

    private mutating func checkGaps() {
        var position = 0
        for gap in description.gaps {
            guard isInOrder(gap, after: position), isInside(gap) || description.state != .sealed else {
                return problems.append("a gap of the description lies outside the file or out of order")
            }
            position = gap.position
        }
        let samples = description.gaps.reduce(0) { $0 + $1.samples }
        // A gap may be off by one sample; the resampler starts again after it, and loses half of
        // its length on either side.
        let tolerance = description.gaps.count * (description.resampled == nil ? 1 : 1 + VectorResampler.taps)
        expect(
            samples <= description.totalLost + tolerance,
            "the description's gaps hold more samples than it says are lost")
    }

    private func isInOrder(_ gap: RecordingDescription.GapNote, after position: Int) -> Bool {
        // Of an open file the end is not known yet.
        gap.position >= position && (gap.position <= description.samplesStored || description.state == .open)
            && gap.startUptime <= gap.endUptime && gap.samples >= 0
    }

    /// Whether a gap lies within the file, give or take a second. What is lost after the last sample may end
    /// later.
    private func isInside(_ gap: RecordingDescription.GapNote) -> Bool {
        let isLast = gap.position == description.samplesStored
        return gap.startUptime >= description.startUptime - 1
            && (isLast || gap.endUptime <= description.endUptime + 1)
    }

    private mutating func compareCounts(_ content: ContentCheck) {
        expect(
            content.stored == description.samplesStored,
            "it holds \(content.stored) \(description.countedUnit) instead of the described \(description.samplesStored)"
        )
    }

    /// Within two seconds: the first level comes when the filters have settled, and a receiver's
    /// epoch lasts a second.
    private mutating func compareEnds(_ content: ContentCheck) {
        guard description.samplesStored > 0, let first = content.first, let last = content.last else { return }
        var (start, end) = (first, last)
        if content.isLocal {
            func uptime(_ seconds: Double) -> Double {
                description.uptime(ofLocal: RecordingTimes.uptimeEpoch + .nanoseconds(Int64(seconds * 1e9)))
            }
            (start, end) = (uptime(first), uptime(last))
        }
        expect(abs(start - description.startUptime) <= 2, "its start differs from the description")
        expect(
            end <= description.endUptime + 2 && description.endUptime - end <= content.endTolerance,
            "its end differs from the description")
    }
}
