"""Forces on bodies, in contacts, joints and impacts."""
