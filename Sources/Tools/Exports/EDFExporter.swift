// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    /// EDF+, for programs that look at physiological signals.
    package static let edf = ExportFormat(rawValue: "edf")
}

/// CWA as EDF+C: one signal per axis on an even grid, and annotations that tell the gaps, and
/// presses where wanted.
///
/// Source: edfplus.info, the EDF and EDF+ specifications. The grid has the nominal rate and
/// begins with the first sample. Its points lie on straight lines between samples; a gap is
/// filled with the value before it and annotated. Steps are those of the file. The discontinuous
/// form (EDF+D) would keep samples and gaps as they are, but pyedflib and older versions of
/// EDFbrowser refuse it.
package struct EDFExporter: Exporter {
    package let content = RecordedContent.motion
    package let format = ExportFormat.edf
    package let options: Set<ExportOption> = [.events]

    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        var presses: [ButtonPress] = []
        if let events = wanted.events { presses = try ButtonLog.presses(RecordedFile(events)) }
        return try Self.export(
            MotionSource(files, window: wanted.window), presses: presses, to: output, progress: progress)
    }

    /// Writes `source`, with `presses` among the annotations. It is read twice, first for the
    /// header's numbers. Returns what is left out.
    @discardableResult
    package static func export(
        _ source: MotionSource, presses: [ButtonPress], to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) -> [String] {
        var survey = EDFSurvey()
        let first = try source.open()
        while let timed = try first.next() {
            survey.add(timed)
            if first.count % 256 == 0 { progress(0.5 * first.progress) }
        }
        if let fault = survey.fault(of: source.files[0].file.path) { throw fault }
        guard let grid = EDFGrid(survey),
            let layout = EDFLayout(survey, grid, first, annotations: annotations(survey, first, presses))
        else {
            throw source.files[0].refusal("has no intact block with a time, so it cannot be exported as edf")
        }
        output.bytes(layout.header)
        var writer = EDFWriter(layout)
        let second = try source.open()
        while let timed = try second.next() {
            writer.add(timed, to: output)
            try output.drain()
            if second.count % 256 == 0 { progress(0.5 + 0.5 * second.progress) }
        }
        writer.finish(to: output)
        try output.drain()
        return second.notes
    }

    private static func annotations(
        _ survey: EDFSurvey, _ series: MotionSeries, _ presses: [ButtonPress]
    ) -> [EDFAnnotation] {
        let clock = PressClock(series)
        let pressed = presses.compactMap { press -> EDFAnnotation? in
            guard let time = clock.wall(of: press), let first = survey.first?.start, time >= first, time <= survey.end
            else { return nil }
            return EDFAnnotation(time: time, duration: press.duration ?? 0, text: press.text)
        }
        return (survey.annotations + pressed).sorted { $0.time < $1.time }
    }
}
