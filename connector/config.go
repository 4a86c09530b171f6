package toolcorrectnessconnector

// Config chooses what the records say besides the event itself.
type Config struct {
	// Azure adds the attribute microsoft.custom_event.name, by which Azure Monitor takes a record as a custom event.
	Azure bool `mapstructure:"azure"`

	// prevent unkeyed literal initialization
	_ struct{}
}
