// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// The picture of an NMEA file: the way on a map, then speed, height and satellites over time. The
/// file is read twice.
package struct TrackPlot: Plot {
    package let content = RecordedContent.sentences

    /// Seconds without a position that are shaded.
    private static let longestPause = 10.0

    package func page(
        _ source: RecordedFile, in window: PlotWindow?, progress: @escaping (Double) -> Void
    ) throws(FileError) -> PlotPage {
        guard window == nil else {
            throw source.refusal("holds positions, which are drawn as a whole; leave --at out")
        }
        let extent = try TrackExtent(NMEATrack([source]), progress)
        guard let latitude = extent.latitude, let longitude = extent.longitude else {
            throw source.refusal("has no valid position, so there is nothing to plot")
        }
        var map = PlotMap(latitude: latitude, longitude: longitude)
        let span = extent.times.map { ($0.upperBound - $0.lowerBound).seconds } ?? 0
        var page = empty(source, start: extent.times?.lowerBound ?? .epoch, span: span)
        var path = DistancePath()
        // From the extent's start, so that time before the first position is a gap, too. `isDown`: the
        // map's line goes on to the next position.
        var (last, metres, isDown): (Instant?, Double, Bool) = (extent.times?.lowerBound, 0, false)
        let track = try NMEATrack([source])
        while let epoch = try track.next() {
            progress(0.5 + track.progress / 2)
            add(epoch, to: &page)
            guard let position = epoch.position else {
                isDown = false
                continue
            }
            let isMoving = (epoch.fix.speed ?? .infinity) >= SageJSONLocationExporter.slowest
            metres = path.add(position, isMoving: isMoving).total ?? metres
            if let time = epoch.time, let before = last {
                let pause = (time - before).seconds
                if abs(pause) > Self.longestPause || epoch.followsGap {
                    page.gaps.add(
                        from: (min(before, time) - page.start).seconds, to: (max(before, time) - page.start).seconds)
                    isDown = false
                }
            }
            last = epoch.time ?? last
            map.add(latitude: position.latitude, longitude: position.longitude, isNew: !isDown)
            isDown = true
        }
        if let last, let end = extent.times?.upperBound, (end - last).seconds > Self.longestPause {
            page.gaps.add(from: (last - page.start).seconds, to: span)
        }
        page.map = map
        page.facts = [
            "\(extent.positions) positions of \(extent.epochs) epochs in \(PlotFacts.length(span)); "
                + "\(PlotFacts.gaps(page.gaps, source.description)); distance \(distance(metres))"
        ]
        if span == 0 { page.panels = [] }
        return page
    }

    private func distance(_ metres: Double) -> String {
        metres < 10_000 ? "\(Int(metres.rounded())) m" : "\(Int((metres / 1000).rounded())) km"
    }

    private func empty(_ source: RecordedFile, start: Instant, span: Double) -> PlotPage {
        let panels = [("speed", "m/s"), ("height", "m"), ("satellites", "")].map { name, unit in
            PlotPanel(title: name, unit: unit, envelope: Envelope(span: span), spacing: 2)
        }
        return PlotPage(
            title: source.name, facts: [], start: start, span: span, clockLabel: "UTC", hasDate: true, panels: panels,
            gaps: GapShade(span: span))
    }

    /// The panels are those of `empty`: speed, height, satellites.
    private func add(_ epoch: NMEATrack.Epoch, to page: inout PlotPage) {
        guard let time = epoch.time else { return }
        let seconds = (time - page.start).seconds
        if let satellites = epoch.fix.satellites { page.panels[2].envelope.add(Double(satellites), at: seconds) }
        guard epoch.position != nil else { return }
        if let speed = epoch.fix.speed { page.panels[0].envelope.add(speed, at: seconds) }
        if epoch.fix.mode == 3, let height = epoch.fix.altitudeMSL { page.panels[1].envelope.add(height, at: seconds) }
    }
}

/// The area and the time of a track.
private struct TrackExtent {
    var latitude: ClosedRange<Double>?
    var longitude: ClosedRange<Double>?
    var times: ClosedRange<Instant>?
    var epochs = 0
    var positions = 0

    init(_ track: NMEATrack, _ progress: (Double) -> Void) throws(FileError) {
        while let epoch = try track.next() {
            epochs += 1
            progress(track.progress / 2)
            if let time = epoch.time { times = Self.grown(times, time) }
            guard let position = epoch.position else { continue }
            positions += 1
            latitude = Self.grown(latitude, position.latitude)
            longitude = Self.grown(longitude, position.longitude)
        }
    }

    private static func grown<Bound>(_ range: ClosedRange<Bound>?, _ value: Bound) -> ClosedRange<Bound> {
        guard let range else { return value...value }
        return min(range.lowerBound, value)...max(range.upperBound, value)
    }
}
