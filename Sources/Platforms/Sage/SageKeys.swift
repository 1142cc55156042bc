// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The keys that are read, so that `SageDecoder` can warn of a misspelt one: readers pass over keys that they
/// do not know.
struct SageKeys {
    private let known: Set<String>
    /// Objects under these keys have keys that the author chooses.
    private let free: Set<String>
    /// Every other key is a mistake, not only one that is nearly right.
    private let isComplete: Bool

    /// The keys of `study.toml`, which is this program's own format.
    static let settings = SageKeys(
        known: Set(
            """
            after anchor app_id app_name app_version apart assessment_guid assessment_revision certificate consent contact_email contact_url days delay
            destination end ethics every expires file first_day identifier info instructions last_day message name platform prompts reminders start task tasks times title version windows
            """.split(whereSeparator: \.isWhitespace).map(String.init)), free: [], isComplete: true)

    /// The keys of task files: the properties that Sage's published schemas and the `CodingKeys` of
    /// SageResearch (stable-2.0 to release/v4), AssessmentModel, MotorControl and BiAffect name,
    /// and those that only this program reads.
    static let task = SageKeys(
        known: Set(
            """
            $schema actions name other text type afterCohortRules allowFuture allowPast allowScreenLock animationDuration animationRepeatCount answerType assessmentIdentifier
            asyncActions audioSessionSettings autocapitalizationType autocorrectionType baseType beforeCohortRules bundleIdentifier buttonTitle canResume
            canSaveForLater canSkip category characterLimit children choices closeButtonTitle codingFormat cohort cohortsToApply color colorMapping
            colorStyle colorTheme commands comment copyright customColor dataType dateFormat daysOfWeek default defaultAnswer defaultDate deniedMessage detail
            displayUnits distanceInMeters duration durationUnits estimatedMinutes exclusive fieldLabel fileExtension footnote formatOptions formatter
            fragmentIdentifier fragmentLayout frequency fullInstructionsOnly guid hand icon iconName icons identifier image imageIdentifier imageName
            imageNames imageTheme inputFields inputItem inputItems insertAfterIdentifier interStimulusInterval invalidMessage isExclusive isFirstRunOnly
            isRequired isSecureTextEntry keyboardOptions keyboardType label matchingAnswer maxInvalidMessage maxTotalAttempts maximumDate maximumDigits
            maximumFractionDigits maximumLabel maximumLength maximumStimulusInterval maximumValue maximumYear measurementRange minInvalidMessage
            minimumDate minimumLabel minimumStimulusInterval minimumValue minimumYear minuteInterval mixingOptions moduleId motionStepIdentifier
            nextStepIdentifier numberOfAttempts numberStyle operator optional organization otherInputItem packageName pattern permissionType permissions placeholder
            placement placementType presentationMode progressMarkers prompt promptDetail range reason recorderTypes regExPattern regExValidator
            relativeDistanceOnly reminderIdentifier requestIfNeeded requiredCohorts requiresBackgroundAudio resourceName resourceTransformer
            restrictedMessage resultIdentifier resultTitle reviewIdentifier revision ruleOperator saveAudioFile schemaIdentifier schemaInfo
            schemaRevision secondary selectorType separator sequenceSeparator seriesLength services shouldDeletePrevious shouldEndOnInterrupt
            shouldHideActions significantDigits singleChoice skipCheckbox skipToIdentifier spellCheckingType spokenInstructions startStepIdentifier
            stepDuration stepInterval stepResultIdentifier steps stimulusDelay stopStepIdentifier storyboardIdentifier subtitle surveyRules task
            taskIdentifier taskTransformer textAlignment textFieldOptions textValidator thresholdAcceleration timeInterval timeout title uiHint unit
            unitText usesBackButton usesCSVEncoding usesGroupingSeparator usesLightStyle usesTrackedData value versionString videoView viewIdentifier
            viewTheme webConfig
            """.split(whereSeparator: \.isWhitespace).map(String.init)), free: ["spokenInstructions"], isComplete: false
    )

    /// Warns of each unknown key in `place` and everything below it.
    func warn(of place: JSONPlace, _ findings: inout Findings) {
        for element in place.elements ?? [] { warn(of: element, &findings) }
        guard case .object(let members) = place.node.content else { return }
        for member in members {
            guard let value = place.member(member.key) else { continue }
            if !known.contains(member.key), let message = remark(on: member.key) { findings.warn(message, at: value) }
            if !free.contains(member.key) { warn(of: value, &findings) }
        }
    }

    private func remark(on key: String) -> String? {
        if let meant = nearest(to: key) { return "\"\(key)\" is not read; is \"\(meant)\" meant?" }
        return isComplete ? "\"\(key)\" is not read" : nil
    }

    /// The known key that is one letter apart, in a long key two; nil where there is none. Known keys of less
    /// than five letters are left out, because too many words are near them.
    private func nearest(to key: String) -> String? {
        guard key.utf8.count <= 60 else { return nil }
        let near = known.compactMap { word -> (distance: Int, word: String)? in
            guard word.utf8.count >= 5 else { return nil }
            let (one, other) = (Array(key.lowercased().utf8), Array(word.lowercased().utf8))
            guard abs(one.count - other.count) <= 2 else { return nil }
            let distance = Misspelling.distance(one, other)
            return distance <= (word.utf8.count < 8 ? 1 : 2) ? (distance, word) : nil
        }
        return near.min { $0 < $1 }?.word
    }
}
